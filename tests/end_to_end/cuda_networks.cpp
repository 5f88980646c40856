/// \file Running networks on a GPU where there is none, or one that refuses everything: a sentence
/// each. Machines are made up by the environment.

#include "core/network/zoo/zoo.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/session.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::cuda_networks_test {

const QString kNetwork = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx");

class CudaNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { qunsetenv("NESTWRIGHT_CUDA_DRIVER"); }

  /// As for other missing devices; nothing runs on the processor instead.
  void aMissingDeviceIsSaid() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    const QString path = emptyFile();
    for (const QStringList& arguments :
         {QStringList{"run", kNetwork, "--naive", "--target", "cuda"},
          QStringList{"run", kNetwork, "--db", path, "--target", "cuda"},
          QStringList{"recombine", kNetwork, "--db", path, "--target", "cuda"}}) {
      const ProgramResult result = run(arguments);
      QCOMPARE(result.exitCode, 3);
      QVERIFY2(result.output.isEmpty(), result.output);
      QVERIFY2(result.errors.contains("no CUDA device can be used here") &&
                   result.errors.contains("NVIDIA GPU"),
               result.errors);
      QCOMPARE(result.errors.count('\n'), 1);
    }
  }

  void theFileSaysWhatItWasTunedFor() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    const QString path = emptyFile("cuda");
    ProgramResult result = run({"run", kNetwork, "--db", path});
    QCOMPARE(result.exitCode, 3);
    QVERIFY2(result.errors.contains("no CUDA device"), result.errors);
    result = run({"recombine", kNetwork, "--db", path});
    QCOMPARE(result.exitCode, 3);
    QVERIFY2(result.errors.contains("no CUDA device"), result.errors);
    result = run({"run", kNetwork, "--db", path, "--target", "llvm"});
    QVERIFY2(result.errors.contains("nestwright tune") && result.errors.contains("--target llvm"),
             result.errors);
  }

  void anArchitectureIsNoDevice() {
    QCOMPARE(run({"run", kNetwork, "--naive", "--target", "cuda:sm_90"}).exitCode, 2);
    const ProgramResult result = run({"run", kNetwork, "--db", emptyFile("cuda:sm_90")});
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.errors.contains("names an architecture and no device"), result.errors);
  }

  /// It is asked for everything up to the first kernel, and all of them have been compiled by then:
  /// those for numbers and truth values, too.
  void aDeviceThatRefusesKernelsIsSaid_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("convolutions") << "torch_resnet";
    QTest::newRow("int64 and bool") << "movement";
  }
  void aDeviceThatRefusesKernelsIsSaid() {
    QFETCH(QString, model);
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    const QString path = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/%1.onnx").arg(model);
    const ProgramResult result = run({"run", path, "--naive", "--target", "cuda"});
    QCOMPARE(result.exitCode, 1);
    if (result.errors.contains("cannot be compiled here")) QSKIP("NVRTC is not installed");
    QVERIFY2(result.errors.contains("CUDA_ERROR_INVALID_IMAGE") &&
                 result.errors.contains("compiled by NVRTC"),
             result.errors);
    QCOMPARE(result.errors.count('\n'), 1);
  }

 private:
  /// A file without records; with a target, of a session that tuned the network for it.
  QString emptyFile(const std::string& target = {}) {
    const QString path = folder_.filePath(QStringLiteral("%1.nwdb").arg(++files_));
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    if (target.empty()) return path;
    SessionConfig config;
    config.subjects = {subjectOf(kNetwork)};
    config.target = target;
    SessionRow row;
    row.config = toJson(config).dump();
    store.sessions().add(row);
    return path;
  }

  /// Its complete text, as the file knows it.
  static std::string subjectOf(const QString& network) {
    return specText(parseNetworkSpec(network.toStdString()));
  }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(CudaNetworks)

} // namespace nestwright::cuda_networks_test

#include "cuda_networks.moc"
