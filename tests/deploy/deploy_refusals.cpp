/// What deploy refuses, each in a sentence, and that nothing half-written remains.

#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <QThread>

namespace nestwright::deploy_refusals_test {

using namespace deploy_test;

const QString kSubject = QStringLiteral("matmul:m=16,n=16,k=16");

class DeployRefusals : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult tuned = run(
        {"tune", kSubject, "--trials", "4", "--repeats", "1", "--seed", "1", "--db", database()});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
  }

  void cleanup() {
    QCOMPARE(QDir(folder_.path()).entryList({"*draft*", "*before*"}, QDir::AllEntries),
             QStringList());
  }

  void tasksWithoutRecordsAreNamed() {
    const ProgramResult result = deploy("resnet18", {});
    refuses(result, 1, "has no verified record for 18 of 18 tasks");
    QVERIFY2(result.errors.contains("Conv 7x7") && result.errors.contains("--allow-naive"),
             result.errors);
    refuses(deploy("resnet18", {"--require-tuned", "50%"}), 1, "--require-tuned wants 50.0 %");
  }

  void anotherTargetsRecordsAreTold() {
    const ProgramResult result = deploy(kSubject, {"--cpu", "x86-64-v2"});
    refuses(result, 1, "it has records of llvm");
    // Programs for another number of threads are of another target too, and so they are found.
    const QString path = folder_.filePath("one.nwdb");
    const ProgramResult tuned =
        run({"tune", kSubject, "--trials", "2", "--repeats", "1", "--threads", "1", "--db", path});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const QStringList arguments{"deploy", kSubject, "--db", path, "-o", folder_.filePath("one")};
    if (QThread::idealThreadCount() > 1) refuses(run(arguments), 1, "it has records of llvm");
    const ProgramResult written = run(arguments + QStringList{"--cores", "1"});
    QVERIFY2(written.exitCode == 0, written.errors);
    QVERIFY2(written.output.contains("num-cores=1"), written.output);
  }

  void wishesThatMakeNoSense() {
    refuses(deploy(kSubject, {"--name", "a-b"}), 2, "cannot name a C library");
    refuses(deploy(kSubject, {"--require-tuned", "lots"}), 2, "is no share");
    refuses(deploy(kSubject, {"--cpu", "native,x86-64-v3"}), 2, "cannot be one of several");
    refuses(deploy(kSubject, {"--cpu", "x86-64-v3,i386"}), 2, "\"i386\" is no processor");
    refuses(run({"deploy", kSubject, "-o", out()}), 2, "--db is missing");
    refuses(run({"deploy", kSubject, "matmul:m=8,n=8,k=8", "--allow-naive", "-o", out()}), 2,
            "two of the subjects would be called matmul");
    refuses(deploy("no_such_network", {}), 1, "no_such_network");
    refuses(deploy("resnet18", {"--onnxruntime", "--allow-naive"}), 2, "is a network of the zoo");
    refuses(deploy(kSubject, {"--onnxruntime"}), 2, "is an operator");
  }

  void foldersAreNotOverwritten() {
    const ProgramResult first = deploy(kSubject, {});
    QVERIFY2(first.exitCode == 0, first.errors);
    refuses(deploy(kSubject, {}), 1, "is there already");
    QVERIFY(write(out() + "/mine.txt", "x"));
    const ProgramResult again = deploy(kSubject, {"--force", "--name", "other"});
    QVERIFY2(again.exitCode == 0, again.errors);
    QVERIFY(QFile::exists(out() + "/libother.so") && !QFile::exists(out() + "/libmatmul.so"));
    // A folder that somebody else filled.
    QVERIFY(QDir(folder_.path()).mkdir("theirs"));
    QVERIFY(write(folder_.filePath("theirs/precious"), "x"));
    refuses(
        run({"deploy", kSubject, "--db", database(), "-o", folder_.filePath("theirs"), "--force"}),
        1, "was not written by deploy");
    QVERIFY(QFile::exists(folder_.filePath("theirs/precious")));
    refuses(run({"deploy", kSubject, "--db", database(), "-o", "/proc/out"}), 1, "cannot be made");
  }

  /// A limit on the size of files stands for a full disk.
  void aFullDiskLeavesNothing() {
    const QString target = folder_.filePath("full");
    const ProgramResult result = runIn(folder_.path(), "bash",
                                       {"-c", "ulimit -f 4; exec \"$@\"", "bash", programPath(),
                                        "deploy", kSubject, "--db", database(), "-o", target});
    QVERIFY2(result.exitCode == 1, result.errors);
    QVERIFY(!QFile::exists(target));
  }

  void withoutACompilerItSaysWhatToInstall() {
    qputenv("CC", "no-such-compiler");
    refuses(deploy(kSubject, {"--force"}), 1, "apt-get install gcc");
    const ProgramResult doctor = run({"doctor"});
    qunsetenv("CC");
    QVERIFY2(doctor.output.contains("cc         NOT FOUND"), doctor.output);
  }

 private:
  QString database() const { return folder_.filePath("refusals.nwdb"); }
  QString out() const { return folder_.filePath("out"); }

  ProgramResult deploy(const QString& subject, const QStringList& more) const {
    return run(QStringList{"deploy", subject, "--db", database(), "-o", out()} + more);
  }

  static void refuses(const ProgramResult& result, int code, const QByteArray& words) {
    QVERIFY2(result.errors.contains(words), result.errors);
    QCOMPARE(result.exitCode, code);
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(DeployRefusals)

} // namespace nestwright::deploy_refusals_test

#include "deploy_refusals.moc"
