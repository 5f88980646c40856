/// Libraries for GPUs, on a driver that is made up: without a GPU all but its own code is as it is
/// with one. They answer as `run` does, and say what is wrong with a driver or a device.

#include "core/deploy/deployment.h"
#include "core/network/execution/executor.h"
#include "core/network/execution/stored_values.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/zoo/zoo.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/target/target_json.h"
#include "tests/deploy/array_bytes.h"
#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <utility>

namespace nestwright::deployed_gpu_test {

using namespace deploy_test;
using nlohmann::json;

const QString kMatmul = QStringLiteral("matmul:m=48,n=64,k=40");
const QString kNetwork = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx");

/// Memory of the made-up device is the host's. What the driver refuses at a call is told with its
/// code, and nothing is left over; then arrays that are not aligned, two instances, and a context
/// of the application's.
const QByteArray kCalls = R"(
#include "net.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct counts { int contexts, allocations, modules, streams, events, graphs, executables, launches, graph_launches, calls; unsigned flags; };
static void (*fail)(const char *, int, int);
static struct counts (*counts)(void);
static int (*retain)(void **, int), (*use)(void *);
static void *symbol(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address) exit((fprintf(stderr, "no %s\n", name), 90));
  return address;
}
static void nothing_left(const char *when, int contexts) {
  const struct counts now = counts();
  if (now.contexts != contexts || now.allocations || now.modules)
    exit((fprintf(stderr, "%s leaves %d contexts, %d allocations, %d modules\n", when, now.contexts, now.allocations, now.modules), 91));
}
static char *at(char *memory, int skip) { return memory + (256 - (size_t)memory % 256) % 256 + skip; }
int main(int argc, char **argv) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 92;
  fail = (void (*)(const char *, int, int))symbol(library, "made_up_fail");
  counts = (struct counts (*)(void))symbol(library, "made_up_counts");
  retain = (int (*)(void **, int))symbol(library, "cuDevicePrimaryCtxRetain");
  use = (int (*)(void *))symbol(library, "cuCtxSetCurrent");
  char *const in = malloc(IN_BYTES + 512), *const out = malloc(OUT_BYTES + 512);
  FILE *file = fopen(argv[argc - 2], "rb");
  if (!file || fread(at(in, 0), 1, IN_BYTES, file) != IN_BYTES) return 93;
  static const struct { const char *function; int error; } opening[] = {
      {"cuCtxGetCurrent", 201}, {"cuDeviceGet", 101}, {"cuDeviceGetAttribute", 1}, {"cuDevicePrimaryCtxRetain", 2},
      {"cuCtxPushCurrent_v2", 201}, {"cuModuleLoadDataEx", 209}, {"cuModuleGetFunction", 500}, {"cuMemAlloc_v2", 2},
      {"cuMemsetD8_v2", 1}, {"cuMemcpyHtoD_v2", 1}, {"cuCtxSynchronize", 700}};
  net_instance *instance = NULL;
  if (net_check()) return fprintf(stderr, "%s\n", net_error()), 94;
  for (size_t i = 0; i < sizeof opening / sizeof *opening; ++i) {
    fail(opening[i].function, opening[i].error, 0);
    const int code = net_open(&instance, NULL);
    printf("%s %d %s\n", opening[i].function, code, net_error());
    if (!code || instance) return 95;
    nothing_left(opening[i].function, 0);
  }
  if (net_open(&instance, NULL)) return fprintf(stderr, "%s\n", net_error()), 96;
  static const struct { const char *function; int error, skip; } running[] = {
      {"cuCtxPushCurrent_v2", 201, 0}, {"cuLaunchKernel", 701, 0}, {"cuMemcpyDtoDAsync_v2", 1, 4}};
  for (size_t i = 0; i < sizeof running / sizeof *running; ++i) {
    char *const from = at(in, running[i].skip);
    memmove(from, at(in, 0), IN_BYTES);
    fail(running[i].function, running[i].error, 0);
    const int code = net_run(instance, NULL, (float *)from, (float *)at(out, 0));
    printf("%s %d %s\n", running[i].function, code, net_error());
    memmove(at(in, 0), from, IN_BYTES);
  }
  if (net_run(instance, NULL, (float *)at(in, 0), NULL) != net_ERROR_ARGUMENT) return 97;
  if (net_run(instance, NULL, (float *)at(in, 0), (float *)at(in, 0)) != net_ERROR_ARGUMENT) return 98;
  if (net_run(instance, NULL, (float *)at(in, 0), (float *)at(out, 0))) return fprintf(stderr, "%s\n", net_error()), 99;
  char *const expected = malloc(OUT_BYTES);
  memcpy(expected, at(out, 0), OUT_BYTES);
  void *context;
  retain(&context, 0), use(context);
  net_instance *other;
  if (net_open(&other, NULL)) return 100;
  memmove(at(in, 4), at(in, 0), IN_BYTES);
  memset(at(out, 4), 0x7f, OUT_BYTES);
  if (net_run(other, NULL, (float *)at(in, 4), (float *)at(out, 4)) || memcmp(at(out, 4), expected, OUT_BYTES)) return 101;
  net_close(instance);
  if (net_run(other, NULL, (float *)at(in, 4), (float *)at(out, 0)) || memcmp(at(out, 0), expected, OUT_BYTES)) return 102;
  net_close(other);
  net_close(NULL);
  nothing_left("all", 1); /* ours */
  file = fopen(argv[argc - 1], "wb");
  return !file || fwrite(expected, 1, OUT_BYTES, file) != OUT_BYTES || fclose(file) ? 103 : 0;
}
)";

/// Arrays as other libraries have them.
const QByteArray kPython = R"(
import ctypes, sys
import net
class Array:
    def __init__(self, shape, typestr, values=b"", strides=None, read_only=False):
        count = ctypes.sizeof(ctypes.c_float)
        for extent in shape: count *= extent
        self.memory = ctypes.create_string_buffer(values or b"\0" * count, count)
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "version": 3, "strides": strides,
                                         "data": (ctypes.addressof(self.memory), read_only)}
_, shape, typestr = net.INPUTS[0]
_, to_shape, to_typestr = net.OUTPUTS[0]
x, y = Array(shape, typestr, open("in.bin", "rb").read()), Array(to_shape, to_typestr)
with net.Network() as network:
    assert network(x, out=y) is y
    for wrong, out, error in ((Array(shape, "<f8"), y, TypeError), (Array(shape[1:], typestr), y, ValueError),
                              ([1.0], y, TypeError), (Array(shape, typestr, strides=(4,) * len(shape)), y, ValueError),
                              (x, Array(to_shape, to_typestr, read_only=True), ValueError), (x, [y, y], TypeError)):
        try:
            network(wrong, out=out)
            sys.exit("taken: " + repr(error))
        except error:
            pass
assert net.processor() == "sm_90"
assert net.tuned() == {"here": 4, "compatible": 0, "never": 5}, net.tuned()
open("python.bin", "wb").write(y.memory.raw)
)";

class DeployedGpu : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid() && QDir(folder_.path()).mkpath("driver"));
    QVERIFY(QFile::copy(NESTWRIGHT_MADE_UP_DRIVER, file("driver/libcuda.so.1")));
    qputenv("NESTWRIGHT_NVRTC", NESTWRIGHT_MADE_UP_NVRTC);
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    for (const auto& [subject, trials] : {std::pair(kMatmul, "2"), std::pair(kNetwork, "4")}) {
      const ProgramResult tuned =
          run({"tune", subject, "--target", "cuda", "--trials", trials, "--trials-per-round", "2",
               "--repeats", "1", "--seed", "1", "--db", database()});
      QVERIFY2(tuned.exitCode == 0, tuned.errors);
    }
    const ProgramResult ran = run({"run", kNetwork, "--target", "cuda", "--db", database(),
                                   "--seed", "1", "--repeats", "1", "--save", file("expected")});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    qunsetenv("NESTWRIGHT_CUDA_DRIVER"); // from here on there is no device
    input_ = bytesOf(randomInputs(parseNetworkSpec(kNetwork.toStdString()), 1).front());
    expected_ = bytesOf(readTensorFile(file("expected/output_0.pb").toStdString()));
    const ProgramResult result = deploy(kNetwork, "net", {"--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    manifest_ = result.json().at("libraries").at(0).at("manifest");
    QVERIFY(write(file("net/in.bin"), input_));
    compile("net", {"main.c", "-L.", "-lnet", "-Wl,-rpath,$ORIGIN", "-o", "main"});
  }

  void init() { qputenv("LD_LIBRARY_PATH", file("driver").toUtf8()); }
  void cleanup() {
    for (const char* name : {"LD_LIBRARY_PATH", "MADE_UP_DEVICES", "MADE_UP_INIT"})
      qunsetenv(name);
  }

  void itTakesTheRecordsOfTheDevice() {
    const json& variant = manifest_.at("variants").at(0);
    QCOMPARE(variant.at("processor").get<std::string>(), std::string("sm_90"));
    QVERIFY(variant.at("coverage").get<double>() > 0);
    QCOMPARE(manifest_.at("device").get<std::string>(), std::string("cuda"));
    QVERIFY(manifest_.at("threads").is_null());
  }

  void fitComparesTheGpu() {
    const auto fit = [&](const char* device) {
      qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
      qputenv("MADE_UP_DEVICES", device);
      ProgramResult result = run({"fit", file("net"), "--json", "--require-tuned", "40%"});
      qunsetenv("NESTWRIGHT_CUDA_DRIVER");
      return result;
    };
    const ProgramResult here = fit("90");
    QVERIFY2(here.exitCode == 0, here.errors);
    const json told = here.json();
    QCOMPARE(told.at("processor").get<std::string>(), std::string("sm_90"));
    QCOMPARE(told.at("here").get<int>(), 4);
    QCOMPARE(told.at("compatible").get<int>(), 0);
    QCOMPARE(told.at("never").get<int>(), 5);
    const ProgramResult other = fit("80");
    QCOMPARE(other.exitCode, 1);
    QVERIFY2(other.errors.contains("this GPU is of sm_80, and the code of net is for sm_90"),
             other.errors);
    // Without a device nobody knows.
    qunsetenv("LD_LIBRARY_PATH");
    const ProgramResult nowhere = run({"fit", file("net")});
    QCOMPARE(nowhere.exitCode, 3);
    QVERIFY2(nowhere.errors.contains("CUDA") || nowhere.errors.contains("libcuda"), nowhere.errors);
  }

  void itNeedsTheSystemAloneAndShowsItsFunctionsAlone() {
    for (const QString& name : neededLibraries(file("net/libnet.so")))
      QVERIFY2(name.startsWith("libc.so") || name.startsWith("ld-linux"), qPrintable(name));
    QCOMPARE(exportedNames(file("net/libnet.so")),
             (QStringList{"net_check", "net_close", "net_error", "net_open", "net_processor",
                          "net_run", "net_tuned"}));
  }

  void theExampleGivesTheSameAnswer() {
    compile("net", {"main.c", "libnet.a", "-o", "static"});
    for (const char* program : {"main", "static"}) {
      const ProgramResult ran =
          runIn(file("net"), file("net/") + program, {"-r", "2", "-i", "in.bin", "-o", "out.bin"});
      QVERIFY2(ran.exitCode == 0, ran.errors);
      QVERIFY2(ran.output.contains("code for sm_90"), ran.output);
      QCOMPARE(contents(file("net/out.bin")), expected_);
    }
  }

  void constantsCanBeInside() {
    const ProgramResult result = deploy(kNetwork, "whole", {"--embed"});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(!QFile::exists(file("whole/whole.weights")));
    compile("whole", {"main.c", "libwhole.a", "-o", "main"});
    const ProgramResult ran = runIn(file("whole"), file("whole/main"),
                                    {"-r", "1", "-i", file("net/in.bin"), "-o", "out.bin"});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    QCOMPARE(contents(file("whole/out.bin")), expected_);
  }

  /// What an operator takes packed on a processor it takes as it is here.
  void anOperatorIsCalledTheSameWay() {
    const ProgramResult result = deploy(kMatmul, "mm", {});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(!contents(file("mm/mm.h")).contains("pack"));
    compile("mm", {"main.c", "-L.", "-lmm", "-Wl,-rpath,$ORIGIN", "-o", "main"});
    const ProgramResult ran = runIn(file("mm"), file("mm/main"), {"-r", "1", "-o", "out.bin"});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    const QByteArray bytes = contents(file("mm/out.bin"));
    const auto made = [](int element) { return static_cast<float>(element % 17) / 17; };
    for (int i = 0; i < 48; ++i)
      for (int j = 0; j < 64; ++j) {
        double sum = 0;
        for (int k = 0; k < 40; ++k)
          sum += static_cast<double>(made(40 * i + k)) * made(64 * k + j);
        float got = 0;
        std::memcpy(&got, bytes.data() + sizeof got * static_cast<std::size_t>(64 * i + j),
                    sizeof got);
        QVERIFY2(std::abs(got - sum) < 1e-4, qPrintable(QString::number(64 * i + j)));
      }
  }

  void whatTheDriverRefusesIsTold() {
    QVERIFY(write(file("net/calls.c"), kCalls));
    compile("net", {"-g", QStringLiteral("-DIN_BYTES=%1").arg(input_.size()),
                    QStringLiteral("-DOUT_BYTES=%1").arg(expected_.size()), "calls.c", "-L.",
                    "-lnet", "-Wl,-rpath,$ORIGIN", "-o", "calls"});
    const ProgramResult ran = runIn(file("net"), file("net/calls"), {"in.bin", "calls.bin"});
    QVERIFY2(ran.exitCode == 0, ran.errors + QByteArray::number(ran.exitCode));
    QCOMPARE(contents(file("net/calls.bin")), expected_);
    for (const char* line :
         {"cuCtxGetCurrent 5 NVIDIA's driver cannot tell the context for net: error 201",
          "cuDeviceGet 1 there is no GPU 0: ", "cuDeviceGetAttribute 5 NVIDIA's driver cannot tell",
          "cuDevicePrimaryCtxRetain 3 NVIDIA's driver cannot open the GPU for net: "
          "CUDA_ERROR_OUT_OF_MEMORY",
          "cuCtxPushCurrent_v2 5 NVIDIA's driver cannot use the context",
          "cuModuleLoadDataEx 5 NVIDIA's driver cannot load the code for net: "
          "CUDA_ERROR_NO_BINARY_FOR_GPU",
          "cuModuleGetFunction 5 NVIDIA's driver cannot load the kernel nw_",
          "cuMemAlloc_v2 3 NVIDIA's driver cannot make the memory", "cuMemsetD8_v2 5 ",
          "cuMemcpyHtoD_v2 5 ", "cuCtxSynchronize 5 ",
          "cuLaunchKernel 5 NVIDIA's driver cannot launch nw_",
          "cuMemcpyDtoDAsync_v2 5 NVIDIA's driver cannot copy the input "})
      QVERIFY2(ran.output.contains(line), ran.output);
  }

  void withoutADriverOrItsDeviceNothingRuns() {
    const auto answers = [&](const char* words) {
      const ProgramResult ran = runIn(file("net"), file("net/main"), {"-r", "1"});
      QCOMPARE(ran.exitCode, 1);
      QVERIFY2(ran.errors.contains(words), ran.errors);
    };
    qputenv("MADE_UP_DEVICES", "80");
    answers("this GPU is of sm_80, and the code of net is for sm_90");
    qunsetenv("MADE_UP_DEVICES");
    qputenv("MADE_UP_INIT", "100");
    answers("NVIDIA's driver cannot start: CUDA_ERROR_NO_DEVICE");
    qunsetenv("MADE_UP_INIT");
    QVERIFY(QDir(folder_.path()).mkpath("broken") && QDir(folder_.path()).mkpath("old"));
    QVERIFY(write(file("broken/libcuda.so.1"), "no library"));
    qputenv("LD_LIBRARY_PATH", file("broken").toUtf8());
    answers("NVIDIA's driver cannot be loaded: ");
    QVERIFY(write(file("old/old.c"), "int cuInit(unsigned f) { return (int)f; }\n"));
    compile("old", {"-shared", "-fPIC", "old.c", "-o", "libcuda.so.1"});
    qputenv("LD_LIBRARY_PATH", file("old").toUtf8());
    answers("NVIDIA's driver has no function cuGetErrorName: it is too old");
  }

  void damagedConstantsAreRefused() {
    const QByteArray whole = contents(file("net/net.weights"));
    QByteArray flipped = whole;
    flipped[whole.size() - 65] = static_cast<char>(flipped[whole.size() - 65] ^ 1);
    const auto answer = [&](const QByteArray& bytes) {
      QFile::remove(file("net/net.weights"));
      write(file("net/net.weights"), bytes);
      return runIn(file("net"), file("net/main"), {"-r", "1"});
    };
    QVERIFY(answer(flipped).errors.contains("checksum is wrong"));
    QVERIFY(answer(whole.left(100)).errors.contains("does not have its"));
    QCOMPARE(answer(whole).exitCode, 0);
  }

  void pythonCallsIt() {
    const QString python = QStandardPaths::findExecutable("python3");
    if (python.isEmpty()) QSKIP("there is no python3");
    QVERIFY(write(file("net/try.py"), kPython));
    const ProgramResult ran = runIn(file("net"), python, {"try.py"});
    QVERIFY2(ran.exitCode == 0, ran.errors);
    QCOMPARE(contents(file("net/python.bin")), expected_);
  }

  /// An architecture alone does not say whose records are meant.
  void severalDevicesOfAnArchitectureAreNamed() {
    const QString path = file("two.nwdb");
    QVERIFY(QFile::copy(database(), path));
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      const TaskRow known = store.tasks().all().front();
      TargetFacts other = deployTarget("cuda:sm_90", &store, 0);
      QCOMPARE(other.modelName, std::string("NVIDIA Made-Up 90"));
      other.modelName = other.gpu->name = "Another 90";
      TaskRow task = known;
      task.id = 0;
      task.target = store.targets().add({0, other.id(), other.text(), toJson(other).dump()});
      task.id = store.tasks().add(task);
      QCOMPARE(deployTarget("cuda:sm_90", &store, 0).modelName, std::string("NVIDIA Made-Up 90"));
      Record record = *store.records().one(store.tasks().summary(known.id).bestRecord);
      record.id = 0;
      record.task = task.id;
      record.trial += 1000;
      store.records().add(record);
    }
    refuses(run({"deploy", kMatmul, "--db", path, "--target", "cuda:sm_90", "-o", file("no")}), 1,
            "has records of several devices of sm_90: NVIDIA Made-Up 90, Another 90");
  }

  void wishesThatMakeNoSense() {
    for (const QStringList& option :
         {QStringList{"--cpu", "native"}, {"--threads", "serial"}, {"--cores", "1"}})
      refuses(deploy(kMatmul, "no", option), 2, option.front().toUtf8() + " is for processors");
    refuses(run({"deploy", kMatmul, "--allow-naive", "--target", "llvm:avx2", "-o", file("no")}), 2,
            "a library cannot be made for llvm:avx2");
    refuses(
        run({"deploy", kMatmul, "--db", database(), "--target", "cuda:sm_80", "-o", file("no")}), 1,
        "it has records of cuda");
    qputenv("NESTWRIGHT_NVRTC", "/nowhere/libnvrtc.so");
    refuses(deploy(kMatmul, "no", {}), 1, "NVRTC");
    qputenv("NESTWRIGHT_NVRTC", NESTWRIGHT_MADE_UP_NVRTC);
    QVERIFY(!QFile::exists(file("no")));
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }
  QString database() const { return file("gpu.nwdb"); }

  ProgramResult deploy(const QString& subject, const QString& name, const QStringList& more) const {
    return run(QStringList{"deploy", subject, "--target", "cuda:sm_90", "--db", database(), "-o",
                           file(name), "--name", name, "--allow-naive"} +
               more);
  }

  void compile(const QString& folder, const QStringList& arguments) const {
    const ProgramResult built =
        runIn(file(folder), "cc", QStringList{"-Wall", "-Wextra", "-Werror"} + arguments);
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  static void refuses(const ProgramResult& result, int code, const QByteArray& words) {
    QVERIFY2(result.errors.contains(words), result.errors);
    QCOMPARE(result.exitCode, code);
  }

  QTemporaryDir folder_;
  QByteArray input_, expected_;
  json manifest_;
};

NW_TEST_GUILESS(DeployedGpu)

} // namespace nestwright::deployed_gpu_test

#include "deployed_gpu.moc"
