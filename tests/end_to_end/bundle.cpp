/// \file The bundle in an empty root: what it needs besides glibc it has with it, and a worker of
/// it serves a session elsewhere through a command prefix. The GPU there is made up.

#include "core/measure/worker_target.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

namespace nestwright::bundle_test {

namespace fs = std::filesystem;

struct Ended {
  int exitCode = -1;
  QByteArray out, errors;
};

Ended runCommand(const QStringList& words, const QByteArray& input = {}) {
  QProcess process;
  process.start(words.front(), words.mid(1));
  process.write(input);
  process.closeWriteChannel();
  Ended ended;
  if (process.waitForFinished(120'000) && process.exitStatus() == QProcess::NormalExit)
    ended.exitCode = process.exitCode();
  ended.out = process.readAllStandardOutput();
  ended.errors = process.readAllStandardError();
  return ended;
}

class Bundle : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const Ended made = runCommand({"cmake", "--install", NESTWRIGHT_BUILD, "--component", "bundle",
                                   "--prefix", root() + "/bundle", "--strip"});
    QVERIFY2(made.exitCode == 0, made.errors.constData());
    // glibc is the machine's own.
    for (const char* library : {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libdl.so.2",
                                "librt.so.1", "libpthread.so.0"}) {
      const fs::path from = fs::path("/lib/x86_64-linux-gnu") / library;
      const fs::path folder =
          fs::path(root().toStdString()) /
          (std::string(library).starts_with("ld-") ? "lib64" : "lib/x86_64-linux-gnu");
      fs::create_directories(folder);
      if (fs::exists(from)) fs::copy_file(fs::canonical(from), folder / library);
    }
    for (const char* folder : {"proc", "dev", "tmp"})
      fs::create_directories(fs::path(root().toStdString()) / folder);
    const Ended inside = runInside({"/bundle/bin/nestwright", "--version"});
    if (inside.errors.contains("unshare") || inside.errors.contains("mount"))
      QSKIP("this machine lets nobody make an empty root (unshare, mount and chroot)");
    QVERIFY2(inside.exitCode == 0, inside.errors.constData());
  }

  void itIsSmallAndHasNeitherLlvmNorQt() {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(bundle().toStdString())) {
      const std::string name = entry.path().filename().string();
      for (const char* without : {"LLVM", "Qt6", "nestwright_llvm", "libc.so", "libm.so"})
        QVERIFY2(name.find(without) == std::string::npos, name.c_str());
      if (entry.is_regular_file() && !entry.is_symlink()) bytes += entry.file_size();
    }
    QVERIFY2(bytes < 60u << 20, std::to_string(bytes).c_str()); // not even packed
  }

  void doctorSaysWhatIsThere() {
    const Ended ended = runInside({"/bundle/bin/nestwright", "doctor", "--json"});
    QVERIFY2(ended.exitCode == 0, ended.errors.constData());
    const auto report = nlohmann::json::parse(ended.out.toStdString());
    for (const auto& plugin : report.at("plugins")) {
      const auto& name = plugin.at("name");
      const bool isNeeded = name != "llvm" && name != "torch"; // the window's machine has those
      QVERIFY2(plugin.at("loaded").get<bool>() == isNeeded, plugin.dump().c_str());
    }
    QVERIFY(report.at("summary").get<std::string>().find("for GPUs, and none for this machine's") !=
            std::string::npos);
    const std::string driver = report.at("backends").at("cuda").dump();
    QVERIFY2(driver.find("libcuda.so.1") != std::string::npos, driver.c_str());
  }

  void programsAreDrawnAndEmulated() {
    const Ended ended =
        runInside({"/bundle/bin/nestwright", "sample", "matmul:m=16,n=16,k=16", "--target",
                   "cuda:sm_90", "--count", "2", "--emulate", "--json"});
    QVERIFY2(ended.exitCode == 0, ended.errors.constData());
    QCOMPARE(nlohmann::json::parse(ended.out.toStdString()).at("emulate").at("agree"), 2);
  }

  /// Without a GPU the worker says so, and the script ends with the code for that.
  void aMachineWithoutAGpuIsTold() {
    const Ended ended = runInside({"/bundle/bin/nestwright", "sample", "matmul:m=16,n=16,k=16",
                                   "--target", "cuda", "--count", "1"});
    QCOMPARE(ended.exitCode, 3);
    QVERIFY2(ended.errors.contains("no CUDA device can be used here"), ended.errors.constData());
    const Ended script = runCommand({bundle() + "/gpu", "--output", root() + "/figures"});
    QCOMPARE(script.exitCode, 3);
    QVERIFY2(script.errors.contains("nothing can be measured here"), script.errors.constData());
    QVERIFY(!fs::exists((root() + "/figures").toStdString()));
  }

  /// Where there is no LLVM answers are compared with the naive programs on the device itself.
  void theScriptTunesAndRunsANetwork() {
    const QString output = root() + "/figures";
    QStringList words = madeUp();
    words << bundle() + "/gpu"
          << "--small"
          << "--seconds"
          << "600"
          << "--network"
          << "1"
          << "--model" << NESTWRIGHT_TEST_DATA "/onnx/elementwise.onnx"
          << "--output" << output << "network";
    const Ended ended = runCommand(words);
    QVERIFY2(ended.exitCode == 0, (ended.out + ended.errors).constData());
    QFile file(output + "/figures.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto network = nlohmann::json::parse(file.readAll().toStdString()).at("network");
    QCOMPARE(network.at("checked_against"), "device");
    QVERIFY2(network.at("relative_error").get<double>() < 1e-3, network.dump().c_str());
    QVERIFY(network.at("latency_seconds").get<double>() > 0);
  }

  /// As `ssh host bundle/bin/nestwright worker`: nothing of this process's environment gets there.
  void aWorkerElsewhereServesASessionHere() {
    const QString prefix = (madeUp() << bundle() + "/bin/nestwright"
                                     << "worker")
                               .join(' ');
    const TargetFacts there =
        measuredTarget("cuda", {}, workerLaunchFromText(prefix.toStdString()));
    QCOMPARE(there.gpu->name, std::string("NVIDIA Made-Up 90"));
    const ProgramResult sampled =
        run({"sample", "matmul:m=8,n=8,k=8", "--target", "cuda", "--count", "2", "--run", "--json",
             "--worker-command", prefix});
    QVERIFY2(sampled.exitCode == 0, sampled.errors.constData());
    const nlohmann::json ran = sampled.json().at("run");
    QVERIFY2(ran.at("agree") == 2, ran.dump().c_str()); // compared there, without LLVM
    const QString database = root() + "/here.nwdb";
    const ProgramResult tuned =
        run({"tune", "matmul:m=8,n=8,k=8", "--target", "cuda", "--trials", "2", "--policy",
             "random", "--db", database, "--worker-command", prefix});
    QVERIFY2(tuned.exitCode == 0, tuned.errors.constData());
    const ProgramResult shown = run({"query", "--db", database, "--json"});
    QVERIFY2(shown.output.contains("\"watts\""), shown.output.constData());
    // Those who look at what a session would find, or begin with its records, ask that worker, too.
    const ProgramResult known = run({"seeds", "matmul:m=8,n=8,k=8", "--target", "cuda", "--db",
                                     database, "--worker-command", prefix, "--json"});
    QVERIFY2(known.exitCode == 0, known.errors.constData());
    QCOMPARE(known.json().at("tasks").size(), std::size_t{1});
    QVERIFY(run({"seeds", "matmul:m=8,n=8,k=8", "--target", "cuda", "--db", database}).exitCode !=
            0);
    const ProgramResult polished = run({"polish", "--task", "1", "--trials", "1", "--db", database,
                                        "--worker-command", prefix, "--json"});
    QVERIFY2(polished.exitCode == 0, polished.errors.constData());
    QVERIFY(run({"polish", "--task", "1", "--trials", "1", "--db", database}).exitCode != 0);
    // The same session does not go on where there is no such GPU.
    const ProgramResult here = run({"tune", "matmul:m=8,n=8,k=8", "--target", "cuda", "--trials",
                                    "4", "--resume", "--db", database});
    QVERIFY(here.exitCode != 0);
  }

 private:
  /// With a GPU that is made up, and nothing else of this process's environment.
  QStringList madeUp() const {
    const QString driver = QStringLiteral(NESTWRIGHT_MADE_UP_DRIVER);
    return {"env",
            "-i",
            "NESTWRIGHT_CUDA_DRIVER=" + driver,
            "NESTWRIGHT_NVML=" + driver,
            QStringLiteral("NESTWRIGHT_NVRTC=") + NESTWRIGHT_MADE_UP_NVRTC,
            "NESTWRIGHT_CUBIN_CACHE=" + root() + "/cubins",
            "NESTWRIGHT_SANITIZER=", // which knows no GPU that is made up
            "PATH=" + qEnvironmentVariable("PATH")};
  }
  QString root() const { return folder_.path(); }
  QString bundle() const { return root() + "/bundle"; }

  /// In a root that has the bundle, glibc, /proc and /dev, and with an empty environment.
  Ended runInside(const QStringList& command) const {
    QStringList words{"unshare",
                      "--mount",
                      "sh",
                      "-c",
                      "mount --rbind /proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && exec "
                      "env -i \"$(command -v chroot)\" \"$0\" \"$@\"",
                      root()};
    if (geteuid() != 0) words.insert(1, "--map-root-user");
    return runCommand(words + command);
  }

  const QTemporaryDir folder_;
};

NW_TEST_GUILESS(Bundle)

} // namespace nestwright::bundle_test

#include "bundle.moc"
