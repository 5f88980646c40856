/// \file `nestwright doctor` on machines with and without CUDA: it always ends well, and says what
/// is missing and how to get it. Machines are made up by the environment.

#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

namespace nestwright::cuda_doctor_test {

nlohmann::json findingIn(const nlohmann::json& report, const std::string& what) {
  for (const nlohmann::json& finding : report.at("backends").at("cuda"))
    if (finding.at("what") == what) return finding;
  return {};
}

class CudaDoctor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() {
    for (const char* name : {"NESTWRIGHT_NVRTC", "NESTWRIGHT_CUDA_DRIVER", "MADE_UP_DEVICES",
                             "MADE_UP_INIT", "MADE_UP_VERSION"})
      qunsetenv(name);
  }

  void nothingIsThere() {
    qputenv("NESTWRIGHT_NVRTC", "/no/such/libnvrtc.so");
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    const ProgramResult result = run({"doctor", "--json"});
    QCOMPARE(result.exitCode, 0);
    const nlohmann::json report = result.json();
    QCOMPARE(findingIn(report, "NVRTC").at("found").get<bool>(), false);
    QVERIFY(findingIn(report, "NVRTC").at("advice").get<std::string>().find("CUDA Toolkit") !=
            std::string::npos);
    QCOMPARE(findingIn(report, "driver").at("found").get<bool>(), false);
    QVERIFY(findingIn(report, "driver").at("advice").get<std::string>().find("cuda:sm_90") !=
            std::string::npos);
    const ProgramResult words = run({"doctor"});
    QCOMPARE(words.exitCode, 0);
    QVERIFY(words.output.contains("cuda       NVRTC"));
  }

  void theLastLineSaysWhatCanBeDone() {
    QCOMPARE(run({"doctor", "--json"}).json().at("summary"),
             "Programs can be made for this machine's processor and for GPUs.");
    QTemporaryDir folder;
    std::ofstream(folder.filePath("nestwright_llvm.so").toStdString()) << "no plugin";
    qputenv("NESTWRIGHT_PLUGIN_PATH", folder.path().toUtf8());
    const std::string without = run({"doctor", "--json"}).json().at("summary");
    QVERIFY2(without.find("for GPUs, and none for this machine's processor") != std::string::npos,
             without.c_str());
    std::ofstream(folder.filePath("nestwright_cuda.so").toStdString()) << "no plugin";
    QVERIFY(run({"doctor"}).output.contains("Nothing can be compiled or measured here"));
    qunsetenv("NESTWRIGHT_PLUGIN_PATH");
  }

  void aMissingDeviceHasAnExitCodeOfItsOwn() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    const ProgramResult result =
        run({"sample", "matmul:m=16,n=16,k=16", "--target", "cuda", "--count", "1"});
    QCOMPARE(result.exitCode, 3);
    QVERIFY2(result.errors.contains("It takes an NVIDIA GPU and its driver"),
             result.errors.constData());
  }

  void twoDevices() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("MADE_UP_DEVICES", "90,80");
    const ProgramResult result = run({"doctor", "--json"});
    QCOMPARE(result.exitCode, 0);
    const nlohmann::json report = result.json();
    QCOMPARE(findingIn(report, "driver").at("version").get<std::string>(), std::string("13.0"));
    QVERIFY(findingIn(report, "device 1").at("fact").get<std::string>().find("sm_80") !=
            std::string::npos);
  }

  void aDriverThatIsOlderThanNvrtcIsTold() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("MADE_UP_VERSION", "11040");
    const nlohmann::json report = run({"doctor", "--json"}).json();
    QCOMPARE(findingIn(report, "driver").at("version").get<std::string>(), std::string("11.4"));
    if (!findingIn(report, "NVRTC").at("found").get<bool>()) QSKIP("NVRTC is not installed");
    QVERIFY(findingIn(report, "driver").at("advice").get<std::string>().find("older than NVRTC") !=
            std::string::npos);
  }

  void aDriverWithoutADeviceIsTold() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("MADE_UP_INIT", "100");
    const ProgramResult result = run({"doctor"});
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.output.contains("CUDA_ERROR_NO_DEVICE"));
  }
};

NW_TEST_GUILESS(CudaDoctor)

} // namespace nestwright::cuda_doctor_test

#include "cuda_doctor.moc"
