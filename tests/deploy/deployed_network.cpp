/// A small network taken away as a library, as a user would: built, linked, run, and spoilt.

#include "core/network/execution/executor.h"
#include "core/network/execution/stored_values.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/zoo/zoo.h"
#include "tests/deploy/array_bytes.h"
#include "tests/deploy/c_program.h"
#include "tests/deploy/python_with.h"
#include "tests/support/test_program.h"

#include <unistd.h>

#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace nestwright::deployed_network_test {

using namespace deploy_test;
using nlohmann::json;

const QString kNetwork = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx");

/// Two threads with an instance each, at once; then one instance on arrays that are not aligned.
const QByteArray kTwoInstances = R"(
#include "net.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { RUNS = 20 };
static char in[IN_BYTES + 128], out[2][OUT_BYTES + 128];
static char *aligned(char *p) { return p + (64 - (size_t)p % 64) % 64; }
static void *work(void *result) {
  net_instance *instance;
  if (net_open(&instance, NULL)) return fprintf(stderr, "%s\n", net_error()), result;
  for (int i = 0; i < RUNS; ++i) {
    memset(result, 0x7f, OUT_BYTES);
    if (net_run(instance, (const float *)aligned(in), result)) return result;
  }
  net_close(instance);
  return NULL;
}
int main(int argc, char **argv) {
  FILE *file = fopen(argv[argc - 2], "rb");
  if (!file || fread(aligned(in), 1, IN_BYTES, file) != IN_BYTES) return 2;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, aligned(out[i]));
  for (int i = 0; i < 2; ++i) {
    void *bad;
    pthread_join(threads[i], &bad);
    if (bad) return 3;
  }
  if (memcmp(aligned(out[0]), aligned(out[1]), OUT_BYTES)) return 4;
  char *const odd_in = malloc(IN_BYTES + 68), *const odd_out = malloc(OUT_BYTES + 68);
  net_instance *instance;
  if (net_open(&instance, NULL)) return 5;
  float *const from = (float *)(aligned(odd_in) + 4), *const to = (float *)(aligned(odd_out) + 4);
  memcpy(from, aligned(in), IN_BYTES);
  if (net_run(instance, from, to) || memcmp(to, aligned(out[0]), OUT_BYTES)) return 6;
  if (net_run(instance, from, NULL) != net_ERROR_ARGUMENT) return 7;
  if (net_run(instance, from, from) != net_ERROR_ARGUMENT || !strstr(net_error(), "overlap")) return 8;
  net_close(instance);
  net_close(NULL);
  file = fopen(argv[argc - 1], "wb");
  return !file || fwrite(aligned(out[0]), 1, OUT_BYTES, file) != OUT_BYTES || fclose(file) ? 9 : 0;
}
)";

/// A plugin of an application, which goes while the threads of OpenMP wait for work.
const QByteArray kUnloaded = R"(
#include "net.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
_Alignas(64) static char in[IN_BYTES], out[OUT_BYTES];
int main(void) {
  void *const library = dlopen("./libnet.so", RTLD_NOW);
  if (!library) return 1;
  int (*open)(net_instance **, const net_options *), (*run)(net_instance *, const float *, float *);
  void (*close)(net_instance *);
  *(void **)&open = dlsym(library, "net_open");
  *(void **)&run = dlsym(library, "net_run");
  *(void **)&close = dlsym(library, "net_close");
  const net_options options = {.threads = 4};
  net_instance *instance;
  if (open(&instance, &options) || run(instance, (float *)in, (float *)out)) return 2;
  close(instance);
  if (dlclose(library)) return 3;
  if (!dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD)) return 4; /* its threads run in it */
  return nanosleep(&(struct timespec){0, 100000000}, NULL) ? 5 : 0;
}
)";

/// Stands in for OpenMP, which knows OMP_NUM_THREADS and what the application set.
const QByteArray kAsked = R"(
#include "net.h"
static int asked;
int omp_get_max_threads(void) { return ++asked; }
int main(void) {
  const net_options options = {.weights = "net.weights"}, own = {.weights = "net.weights", .threads = 2};
  net_instance *instance;
  if (net_open(&instance, &options) || asked != 1) return 1;
  net_close(instance);
  if (net_open(&instance, &own) || asked != 1) return 2;
  net_close(instance);
  return 0;
}
)";

/// An application's own threads: the parts of a loop in any order, on one thread or on two.
const QByteArray kOwnThreads = R"(
#include "net.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct half { int begin, end; void (*body)(void *, int); void *data; };
static int loops;
static void *part(void *p) {
  struct half *half = p;
  for (int i = half->end - 1; i >= half->begin; --i) half->body(half->data, i);
  return NULL;
}
static void parallel_for(void *context, int count, void (*body)(void *, int), void *data) {
  struct half halves[2] = {{0, count / 2, body, data}, {count / 2, count, body, data}};
  pthread_t other;
  ++*(int *)context;
  pthread_create(&other, NULL, part, &halves[1]);
  part(&halves[0]);
  pthread_join(other, NULL);
}
int main(int argc, char **argv) {
  float *in = aligned_alloc(64, IN_BYTES + 64 - IN_BYTES % 64), *out = aligned_alloc(64, OUT_BYTES + 64 - OUT_BYTES % 64);
  FILE *file = fopen(argv[argc - 2], "rb");
  if (!file || fread(in, 1, IN_BYTES, file) != IN_BYTES) return 2;
  const net_pool pool = {parallel_for, &loops, 3};
  const net_options options = {.weights = "net.weights", .pool = &pool};
  net_instance *instance;
  if (net_open(&instance, &options)) return fprintf(stderr, "%s\n", net_error()), 3;
  if (net_run(instance, in, out)) return 4;
  net_close(instance);
  printf("%d loops\n", loops);
  file = fopen(argv[argc - 1], "wb");
  return !file || fwrite(out, 1, OUT_BYTES, file) != OUT_BYTES || fclose(file) ? 5 : 0;
}
)";

const QByteArray kPython = R"(
import sys
import numpy as np
import net
x = np.fromfile("in.bin", np.float32).reshape(net.INPUTS[0][1])
with net.Network() as network:
    y = network(x)
    out = net.empty(net.OUTPUTS[0][1], net.OUTPUTS[0][2])
    assert network.run(x, out=out) is out and np.array_equal(out, y)
    for wrong, error in ((x.astype(np.float64), TypeError), (x[..., :1], ValueError), ([1.0], TypeError)):
        try:
            network(wrong)
            sys.exit("taken: " + repr(error))
        except error:
            pass
try:
    net.Network(weights="nowhere.weights")
    sys.exit("opened")
except net.Error as error:
    assert error.code == 2 and "nowhere.weights" in str(error)
y.tofile("python.bin")
assert net.tuned() == {"here": 9, "compatible": 0, "never": 0}, net.tuned()
)";

class DeployedNetwork : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult tuned = run({"tune", kNetwork, "--trials", "24", "--trials-per-round", "4",
                                     "--repeats", "1", "--seed", "1", "--db", database()});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const ProgramResult ran = run({"run", kNetwork, "--db", database(), "--seed", "1", "--repeats",
                                   "1", "--save", file("expected")});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    const Network network = parseNetworkSpec(kNetwork.toStdString());
    input_ = bytesOf(randomInputs(network, 1).front());
    expected_ = bytesOf(readTensorFile(file("expected/output_0.pb").toStdString()));
    QVERIFY(!expected_.isEmpty());
    const ProgramResult result = deploy("net", {"--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    document_ = result.json().at("libraries").at(0);
    QVERIFY(write(file("net/in.bin"), input_));
  }

  void theManifestSaysWhatIsInside() {
    const json manifest = json::parse(contents(file("net/MANIFEST.json")).toStdString());
    QCOMPARE(manifest, document_.at("manifest"));
    QVERIFY(manifest.at("coverage").get<double>() > 0);
    int tuned = 0;
    const json& variant = manifest.at("variants").at(0);
    QCOMPARE(manifest.at("variants").size(), 1U);
    for (const json& task : variant.at("tasks"))
      if (task.at("program") == "tuned") {
        ++tuned;
        QVERIFY(task.at("record").get<int>() > 0 && task.at("seconds").get<double>() > 0);
        QCOMPARE(task.at("origin").get<std::string>(), std::string("tuned on this machine"));
      } else {
        QVERIFY(task.at("record").is_null());
      }
    QVERIFY(tuned > 0);
    QVERIFY(!variant.at("cpu_features").empty());
    QVERIFY(manifest.at("licence").get<std::string>().find("any terms") != std::string::npos);
    std::set<std::string> files;
    for (const QString& name : QDir(file("net")).entryList(QDir::Files | QDir::Hidden))
      if (name != "in.bin") files.insert(name.toStdString());
    QCOMPARE(files, (std::set<std::string>{"MANIFEST.json", "libnet.a", "libnet.so", "main.c",
                                           "net-config.cmake", "net.h", "net.pc", "net.py",
                                           "net.weights"}));
  }

  void itNeedsTheSystemAloneAndShowsItsFunctionsAlone() {
    for (const QString& name : neededLibraries(file("net/libnet.so")))
      QVERIFY2(name.startsWith("libc.so") || name.startsWith("libm.so") ||
                   name.startsWith("libgomp.so") || name.startsWith("ld-linux"),
               qPrintable(name));
    QCOMPARE(exportedNames(file("net/libnet.so")),
             (QStringList{"__tvm_ffi_net", "net_check", "net_close", "net_error", "net_open",
                          "net_processor", "net_run", "net_tuned"}));
  }

  void theExampleGivesTheSameAnswer() {
    compile("net", {"-O2", "main.c", "-L.", "-lnet", "-Wl,-rpath,$ORIGIN", "-o", "shared"});
    compile("net", {"-O2", "main.c", "libnet.a", "-lm", "-lgomp", "-o", "static"});
    compile("net", {"-g", "-fsanitize=address,undefined", "-fno-sanitize-recover", "main.c",
                    "libnet.a", "-lm", "-lgomp", "-o", "checked"});
    for (const char* program : {"shared", "static", "checked"}) {
      const ProgramResult ran =
          runIn(file("net"), file("net/") + program, {"-r", "2", "-i", "in.bin", "-o", "out.bin"});
      QVERIFY2(ran.exitCode == 0, ran.errors);
      QVERIFY2(ran.output.contains("median of 2 runs"), ran.output);
      QCOMPARE(contents(file("net/out.bin")), expected_);
    }
  }

  /// With nothing there but what the system's loader says that it needs.
  void itRunsInAnEmptyRoot() {
    QStringList rooted = {"chroot"};
    if (geteuid() != 0) rooted = {"unshare", "-r", "chroot"};
    if (runIn("/", rooted.first(), rooted.mid(1) + QStringList{"/", "true"}).exitCode != 0)
      QSKIP("nobody may change the root here: that takes root, or namespaces of users");
    compile("net", {"main.c", "-L.", "-lnet", "-Wl,-rpath,/app", "-o", "rooted"});
    const QString root = file("root");
    const auto copy = [&](const QString& from, const QString& to) {
      QVERIFY(QDir().mkpath(QFileInfo(root + to).path()));
      QVERIFY(QFile::copy(from, root + to));
    };
    for (const char* name : {"rooted", "libnet.so", "net.weights", "in.bin"})
      copy(file("net/") + name, QStringLiteral("/app/") + name);
    // What the tests themselves have loaded before everything is not the library's.
    const ProgramResult needed =
        runIn("/", "env", {"-u", "LD_PRELOAD", "ldd", file("net/libnet.so")});
    for (const QByteArray& word : needed.output.simplified().split(' '))
      if (word.startsWith('/') && !QFile::exists(root + word)) copy(word, word);
    rooted << root << "/app/rooted";
    const ProgramResult ran =
        runIn("/", rooted.first(),
              rooted.mid(1) + QStringList{"-r", "1", "-i", "/app/in.bin", "-o", "/app/out.bin"});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    QVERIFY2(ran.output.contains("s (to open it)"), ran.output);
    QCOMPARE(contents(root + "/app/out.bin"), expected_);
    // There was nothing but the system's loader and libraries, and what the folder has.
    const QStringList expected = {"ld", "libc", "libgomp", "libm",  "libnet",
                                  "in", "net",  "out",     "rooted"};
    for (QDirIterator all(root, QDir::Files, QDirIterator::Subdirectories); all.hasNext();) {
      const QString name = all.next();
      QVERIFY2(
          expected.contains(QFileInfo(name).fileName().split(QRegularExpression("[.-]")).first()),
          qPrintable(name));
    }
  }

  /// The lines of help/deploy.md.
  void buildSystemsFindIt() {
    const QString app = file("app");
    QVERIFY(QDir(folder_.path()).mkpath("app"));
    QVERIFY(write(app + "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(app C)\n"
                                           "find_package(net REQUIRED PATHS ../net)\n"
                                           "add_executable(shared ../net/main.c)\n"
                                           "target_link_libraries(shared net::net)\n"
                                           "add_executable(static ../net/main.c)\n"
                                           "target_link_libraries(static net::static)\n"));
    for (const QStringList& step : {QStringList{"-S", ".", "-B", "build"}, {"--build", "build"}}) {
      const ProgramResult made = runIn(app, "cmake", step);
      QVERIFY2(made.exitCode == 0, made.errors + made.output);
    }
    QStringList programs = {"shared", "static"};
    if (!QStandardPaths::findExecutable("pkg-config").isEmpty()) {
      qputenv("PKG_CONFIG_PATH", file("net").toUtf8());
      const ProgramResult built = runIn(app, "sh",
                                        {"-c", "cc ../net/main.c $(pkg-config --cflags --libs net) "
                                               "-Wl,-rpath,../net -o build/packaged"});
      QVERIFY2(built.exitCode == 0, built.errors);
      programs << "packaged";
    }
    for (const QString& program : programs) {
      // A static one looks beside itself.
      QFile::copy(file("net/net.weights"), app + "/build/net.weights");
      const ProgramResult ran = runIn(app, app + "/build/" + program,
                                      {"-r", "1", "-i", file("net/in.bin"), "-o", "out.bin"});
      QVERIFY2(ran.exitCode == 0, ran.errors);
      QCOMPARE(contents(app + "/out.bin"), expected_);
    }
  }

  void instancesRunAtOnce() {
    QVERIFY(write(file("net/two.c"), kTwoInstances));
    buildsAndComputes("net", "two");
  }

  void itCanBeUnloaded() {
    QVERIFY(write(file("net/unloaded.c"), kUnloaded));
    compile("net", sized({"unloaded.c", "-o", "unloaded"}));
    const ProgramResult ran = runIn(
        file("net"), "env", {"OMP_WAIT_POLICY=active", "GOMP_SPINCOUNT=infinite", "./unloaded"});
    QVERIFY2(ran.exitCode == 0, QByteArray::number(ran.exitCode) + ran.errors);
  }

  /// Without a number of its own it has as many threads as OpenMP gives.
  void openMpSaysHowManyThreads() {
    QVERIFY(write(file("net/asked.c"), kAsked));
    compile("net", {"asked.c", "-rdynamic", "-L.", "-lnet", "-Wl,-rpath,$ORIGIN", "-o", "asked"});
    const ProgramResult ran = runIn(file("net"), "./asked", {});
    QVERIFY2(ran.exitCode == 0, QByteArray::number(ran.exitCode) + ran.errors);
  }

  void theApplicationsThreadsRunIt() {
    const ProgramResult result = deploy("net", {"--threads", "callback"}, "own");
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(!neededLibraries(file("own/libnet.so")).contains("libgomp.so.1"));
    QVERIFY(write(file("own/own.c"), kOwnThreads));
    QVERIFY(write(file("own/in.bin"), input_));
    buildsAndComputes("own", "own");
  }

  void constantsCanBeInside() {
    const ProgramResult result = deploy("net", {"--embed", "--threads", "serial"}, "whole");
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(!QFile::exists(file("whole/net.weights")));
    QVERIFY(write(file("whole/in.bin"), input_));
    compile("whole", {"main.c", "libnet.a", "-lm", "-o", "main"});
    const ProgramResult ran =
        runIn("/", file("whole/main"), {"-i", file("net/in.bin"), "-o", file("whole/out.bin")});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    QCOMPARE(contents(file("whole/out.bin")), expected_);
  }

  void damagedConstantsAreRefused() {
    const QByteArray whole = contents(file("net/net.weights"));
    QByteArray flipped = whole, swapped = whole;
    flipped[whole.size() - 65] = static_cast<char>(flipped[whole.size() - 65] ^ 1);
    std::swap_ranges(swapped.begin() + 64, swapped.begin() + 128, swapped.begin() + 128);
    const auto answer = [&](const QByteArray& bytes) {
      QFile::remove(file("net/net.weights"));
      if (!bytes.isEmpty()) write(file("net/net.weights"), bytes);
      return runIn(file("net"), file("net/shared"), {"-r", "1"});
    };
    for (const auto& [bytes, words] :
         {std::pair(whole.left(whole.size() - 4096), "does not have its"),
          std::pair(flipped, "checksum is wrong"), std::pair(swapped, "checksum is wrong"),
          std::pair(QByteArray(), "cannot be opened")}) {
      const ProgramResult ran = answer(bytes);
      QCOMPARE(ran.exitCode, 1);
      QVERIFY2(ran.errors.contains(words), ran.errors);
    }
    QCOMPARE(answer(whole).exitCode, 0);
  }

  void numpyCallsIt() {
    const QStringList modules = {"numpy"};
    const QString python = pythonWith(modules);
    if (python.isEmpty()) QSKIP(whyNoPython(modules));
    QVERIFY(write(file("net/try.py"), kPython));
    const ProgramResult ran = runIn(file("net"), python, {"try.py"});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    QCOMPARE(contents(file("net/python.bin")), expected_);
  }

  /// Only what it says that it has been tuned for.
  void fitTellsWhereItWasTuned() {
    ProgramResult result = run({"fit", kNetwork, "--db", database(), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    const json here = result.json();
    QCOMPARE(here.at("here").get<std::size_t>() + here.at("never").get<std::size_t>(),
             here.at("tasks").size());
    QVERIFY(here.at("here").get<int>() > 0);
    // What was tuned is measured again, and nothing else; the file stays as it is.
    const QByteArray before = contents(database());
    result = run({"fit", kNetwork, "--db", database(), "--measure", "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    const json measured = result.json().at("measured");
    QCOMPARE(measured.size(), here.at("here").get<std::size_t>());
    for (const json& one : measured) {
      QVERIFY(one.at("record").get<int>() > 0 && one.at("failure").is_null());
      const double promised = one.at("seconds_promised"), now = one.at("seconds_now");
      QVERIFY(promised > 0 && now > 0);
      QVERIFY(std::abs(one.at("slowdown").get<double>() - (now / promised - 1)) < 1e-9);
    }
    QCOMPARE(contents(database()), before);
    // A program that does not run keeps no promise.
    result = run({"fit", kNetwork, "--db", database(), "--within", "100%", "--worker-command",
                  programPath() + " worker --no-such-option"});
    QVERIFY(result.exitCode != 0 && !result.errors.isEmpty());
    // Another instruction set is another target, and this one's programs may not run there.
    result =
        run({"fit", kNetwork, "--db", database(), "--cpu", "x86-64-v2", "--require-tuned", "1%"});
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains("0.0 % of the tasks were tuned on this CPU"), result.errors);
    QVERIFY2(result.output.contains(": 0 tuned on this CPU"), result.output);
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }
  QString database() const { return file("net.nwdb"); }

  ProgramResult deploy(const QString& name, const QStringList& more, const QString& to = {}) const {
    return run(QStringList{"deploy", kNetwork, "--db", database(), "-o",
                           file(to.isEmpty() ? name : to), "--name", name, "--allow-naive"} +
               more);
  }

  QStringList sized(QStringList arguments) const {
    return arguments << QStringLiteral("-DIN_BYTES=%1").arg(input_.size())
                     << QStringLiteral("-DOUT_BYTES=%1").arg(expected_.size());
  }

  void compile(const QString& folder, const QStringList& arguments) const {
    const ProgramResult built =
        runIn(file(folder), "cc", QStringList{"-Wall", "-Werror"} + arguments);
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  /// A program of ours, with the library in this folder, gives what the network does.
  void buildsAndComputes(const QString& folder, const QString& program) const {
    compile(folder, sized({"-O1", program + ".c", "-L.", "-lnet", "-Wl,-rpath,$ORIGIN", "-pthread",
                           "-o", program}));
    const QString made = program + ".bin";
    const ProgramResult ran = runIn(file(folder), "./" + program, {"in.bin", made});
    QVERIFY2(ran.exitCode == 0, ran.errors + QByteArray::number(ran.exitCode));
    QCOMPARE(contents(file(folder + '/' + made)), expected_);
  }

  QTemporaryDir folder_;
  QByteArray input_, expected_;
  json document_;
};

NW_TEST_GUILESS(DeployedNetwork)

} // namespace nestwright::deployed_network_test

#include "deployed_network.moc"
