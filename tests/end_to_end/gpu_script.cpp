/// \file packaging/gpu from its first line to its last, on a driver, a compiler, libraries and a
/// PyTorch that are made up: the first machine with a GPU is to show figures, not mistakes of ours.

#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>

namespace nestwright::gpu_script_test {

namespace fs = std::filesystem;
using nlohmann::json;

const QString kBench = QStringLiteral(NESTWRIGHT_BUILD "/tests/bench/bench_cuda");

class GpuScript : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("NESTWRIGHT_NVML", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("NESTWRIGHT_NVRTC", NESTWRIGHT_MADE_UP_NVRTC);
    qputenv("NESTWRIGHT_CUBIN_CACHE", folder_.filePath("cubins").toUtf8());
    qputenv("NESTWRIGHT_PROGRAM", programPath().toUtf8());
    qputenv("NESTWRIGHT_BENCH", kBench.toUtf8());
    qputenv("NESTWRIGHT_SANITIZER", ""); // which knows no GPU that is made up
    qputenv("PYTHONDONTWRITEBYTECODE", "1");
  }

  /// Each step once, with a cuBLAS among them that is newer than its driver.
  void everyStepIsMadeAndItsFiguresAreKept() {
    const QString libraries = libraryFolder("libraries");
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcudnn.so.9"})
      copyTo(libraries, NESTWRIGHT_MADE_UP_LIBRARIES, name);
    const QString output = folder_.filePath("figures");
    const ProgramResult result = runScript(
        {"LD_LIBRARY_PATH=" + libraries, "MADE_UP_REFUSES=libcublas.so.13",
         QStringLiteral("PYTHONPATH=") + NESTWRIGHT_SOURCE "/tests/end_to_end/made_up_torch"},
        {"--small",
         "--seconds",
         "900",
         "--programs",
         "2",
         "--trials",
         "1",
         "--network",
         "1",
         "--table",
         "1",
         "--model",
         NESTWRIGHT_TEST_DATA "/onnx/elementwise.onnx",
         "--output",
         output,
         "programs",
         "hostile",
         "tuning",
         "network",
         "table",
         "policies"});
    const QByteArray all = result.output + result.errors;
    QVERIFY2(result.exitCode == 0, all);
    QVERIFY2(result.output.endsWith("all is well\n"), all);
    std::ifstream file(output.toStdString() + "/figures.json");
    const json figures = json::parse(file);
    QVERIFY2(figures.at("faults").empty(), figures.dump().c_str());
    QVERIFY(figures.at("programs").at("sums").at("agree").get<int>() >= 2);
    QCOMPARE(figures.at("hostile").at("right"), 5);
    QCOMPARE(figures.at("tuning").size(), std::size_t{2});
    QVERIFY(figures.at("tuning").at(0).at("overhead_seconds_per_trial").is_number());
    const json& network = figures.at("network");
    QVERIFY(network.at("ratio").is_number());
    QCOMPARE(network.at("checked_against"), "naive"); // there is an LLVM
    const json& table = figures.at("table");
    const auto versions = table.at("versions").get<std::string>();
    QVERIFY2(versions.starts_with("cuBLAS 12.6.4, cuDNN 8.9.7, driver 570.86.15 (CUDA 13.0)"),
             versions.c_str());
    QCOMPARE(table.at("means").size(), std::size_t{4});
    std::map<std::string, std::string> peers;
    for (const json& row : table.at("rows")) {
      QVERIFY2(row.contains("ratio"), row.dump().c_str());
      peers[row.at("kind")] = row.at("peer");
    }
    QCOMPARE(peers.at("fp32 product, paper rules"), std::string("Sgemm, pedantic math"));
    QVERIFY2(peers.at("convolution").ends_with(", launched one by one"),
             peers.at("convolution").c_str());
    QCOMPARE(figures.at("policies").at("tasks").at(0).at("seeds").size(), std::size_t{1});
  }

  /// NVIDIA's checker is made up here: it finds nothing, or a fault.
  void aFewProgramsRunUnderTheSanitizer() {
    const QString tools = libraryFolder("sanitizer");
    std::ofstream(tools.toStdString() + "/compute-sanitizer")
        << "#!/bin/sh\necho \"$@\" >>\"$0.calls\"\n"
           "[ -z \"$MADE_UP_RACE\" ] || { echo '========= Error: a race'; exit 9; }\n"
           "exit 0\n";
    fs::permissions(tools.toStdString() + "/compute-sanitizer", fs::perms::owner_all);
    const QString path = "NESTWRIGHT_SANITIZER=" + tools + "/compute-sanitizer";
    const QStringList words{"--small", "--programs", "2", "--output", folder_.filePath("sanitized"),
                            "programs"};
    const ProgramResult good = runScript({path}, words);
    QVERIFY2(good.exitCode == 0, good.output + good.errors);
    std::ifstream calls(tools.toStdString() + "/compute-sanitizer.calls");
    std::string all((std::istreambuf_iterator<char>(calls)), {});
    for (const char* tool : {"--tool memcheck --target-processes all", "--tool racecheck"})
      QVERIFY2(all.find(tool) != std::string::npos, all.c_str());
    const ProgramResult bad = runScript({path, "MADE_UP_RACE=1"}, words);
    QCOMPARE(bad.exitCode, 1);
    QVERIFY2(bad.output.contains("memcheck of matmul:m=64,n=64,k=64: exit code 9"), bad.output);
    QVERIFY2(bad.output.contains("Error: a race"), bad.output);
  }

  /// Nothing else is lost where a library cannot be used.
  void librariesThatCannotBeUsedAreNamed() {
    const QString libraries = libraryFolder("broken");
    copyTo(libraries, NESTWRIGHT_MADE_UP_LIBRARIES, "libcublas.so.13");
    copyTo(libraries, NESTWRIGHT_MADE_UP_NVRTC, "libcudnn.so.9");
    const ProgramResult result =
        runIn({}, "env",
              {"LD_LIBRARY_PATH=" + libraries, "MADE_UP_REFUSES=libcublas.so.13", kBench,
               "--program", programPath(), "table", "--small", "--only", "softmax", "--trials", "1",
               "--db", folder_.filePath("broken.nwdb")});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY2(result.output.contains("no cuBLAS (cublasCreate of " + libraries.toUtf8() +
                                    "/libcublas.so.13 fails with status 1"),
             result.output);
    QVERIFY2(result.output.contains("libcudnn.so.9 has no function cudnnGetVersion"),
             result.output);
    QVERIFY2(result.output.contains("softmax: geometric mean"), result.output);
  }

  /// A file that is there and is no library, found by its name.
  void aDriverThatCannotBeOpenedIsNotMissing() {
    const QString libraries = libraryFolder("text");
    std::ofstream(libraries.toStdString() + "/libno_driver.so.1") << "no library at all";
    const ProgramResult result =
        runIn({}, "env",
              {"LD_LIBRARY_PATH=" + libraries, "NESTWRIGHT_CUDA_DRIVER=libno_driver.so.1",
               programPath(), "doctor"});
    QVERIFY2(result.output.contains(libraries.toUtf8() + "/libno_driver.so.1:"), result.output);
  }

  /// Programs that spill are refused, and are none that could be wrong.
  void refusedProgramsAreNoFault() {
    const auto write = [&](int refused, int wrong) {
      std::ofstream(folder_.filePath("programs-01-x.json").toStdString())
          << json{{"task", "x"},
                  {"legal", 25},
                  {"run",
                   {{"agree", 25 - refused - wrong},
                    {"refused", refused},
                    {"wrong", wrong},
                    {"unchecked", 0},
                    {"failed", 0},
                    {"failures", json::object()}}}};
      return runIn({}, kBench, {"figures", folder_.path(), "--step", "programs"});
    };
    const ProgramResult refused = write(2, 0);
    QCOMPARE(refused.exitCode, 0);
    QVERIFY2(refused.output.contains("23 of 25 random programs compute what they should; 2 were"),
             refused.output);
    const ProgramResult wrong = write(2, 1);
    QCOMPARE(wrong.exitCode, 1);
    QVERIFY2(wrong.output.contains("1 random programs: wrong"), wrong.output);
  }

  /// No package is installed and nothing is built for it.
  void helpIsOnlyHelp() {
    const QString tools = libraryFolder("tools");
    for (const char* name : {"cmake", "dpkg-query", "apt-get"}) {
      const std::string path = tools.toStdString() + "/" + name;
      std::ofstream(path) << "#!/bin/sh\ntouch " << tools.toStdString() << "/called\nexit 1\n";
      fs::permissions(path, fs::perms::owner_all);
    }
    const ProgramResult result = runIn({}, "env",
                                       {"PATH=" + tools + ":" + qEnvironmentVariable("PATH"),
                                        NESTWRIGHT_SOURCE "/packaging/dev", "gpu", "--help"});
    QCOMPARE(result.exitCode, 0);
    QVERIFY2(result.output.contains("gpu [OPTION ...] [STEP ...]"), result.output);
    QVERIFY(!QFile::exists(tools + "/called"));
  }

  /// Of two kinds the named one is tuned for, and its state is told; the compiler is in what the
  /// session is for.
  void aDeviceIsChosenByItsName() {
    qputenv("MADE_UP_DEVICES", "90,80");
    const QString database = folder_.filePath("chosen.nwdb");
    const ProgramResult tuned = run({"tune", "matmul:m=8,n=8,k=8", "--target", "cuda", "--device",
                                     "Up 80", "--trials", "1", "--events", "--db", database});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    QVERIFY2(tuned.output.contains("NVIDIA Made-Up 80: 1.75 GHz"), tuned.output);
    {
      const RecordStore store = RecordStore::open(database.toStdString(), OpenMode::ReadOnly);
      const json target = json::parse(store.targets().all().front().facts);
      QCOMPARE(target.at("gpu").at("nvrtc_version"), 13000);
    }
    const ProgramResult sampled = run({"sample", "matmul:m=8,n=8,k=8", "--target", "cuda",
                                       "--device", "1", "--count", "1", "--json"});
    QVERIFY2(sampled.output.contains("sm_80"), sampled.output + sampled.errors);
    const ProgramResult recombined =
        run({"recombine", NESTWRIGHT_TEST_DATA "/onnx/elementwise.onnx", "--target", "cuda",
             "--device", "Up 80", "--db", database});
    QVERIFY2(recombined.errors.contains("has no verified record"), recombined.errors);
    qunsetenv("MADE_UP_DEVICES");
  }

  void aMissingDeviceHasItsExitCode_data() {
    QTest::addColumn<QStringList>("more");
    QTest::newRow("by number") << QStringList{"--device", "0"};
    QTest::newRow("of a worker") << QStringList{"--worker-command", programPath() + " worker"};
  }
  void aMissingDeviceHasItsExitCode() {
    QFETCH(QStringList, more);
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    const ProgramResult result = run(QStringList{"tune", "matmul:m=8,n=8,k=8", "--target", "cuda",
                                                 "--db", folder_.filePath("none.nwdb")} +
                                     more);
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    QCOMPARE(result.exitCode, 3);
    QVERIFY2(result.errors.contains("no CUDA device can be used here"), result.errors);
  }

  void aCommandForNobodyIsRefused() {
    const ProgramResult result = run({"sample", "matmul:m=8,n=8,k=8", "--target", "cuda:sm_90",
                                      "--count", "1", "--worker-command", "ssh host worker"});
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.errors.contains("--worker-command belongs to --run"), result.errors);
  }

 private:
  static ProgramResult runScript(const QStringList& environment, const QStringList& arguments) {
    return runIn({}, "env",
                 environment + QStringList{NESTWRIGHT_SOURCE "/packaging/gpu"} + arguments, 600);
  }

  QString libraryFolder(const char* name) const {
    const QString path = folder_.filePath(name);
    fs::create_directories(path.toStdString());
    return path;
  }
  static void copyTo(const QString& folder, const char* file, const char* name) {
    fs::copy_file(file, folder.toStdString() + "/" + name);
  }

  const QTemporaryDir folder_;
};

NW_TEST_GUILESS(GpuScript)

} // namespace nestwright::gpu_script_test

#include "gpu_script.moc"
