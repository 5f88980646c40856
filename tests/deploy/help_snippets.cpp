/// The page "Ship it": each of its ways from records to a running program is followed to the
/// letter.

#include "tests/deploy/c_program.h"
#include "tests/deploy/python_with.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::help_snippets_test {

using namespace deploy_test;

/// The lines of code below a heading.
QStringList codeBelow(const QString& heading) {
  QStringList code;
  bool here = false;
  for (const QByteArray& line : contents(NESTWRIGHT_SOURCE "/resources/help/deploy.md").split('\n'))
    if (line.startsWith("## "))
      here = line.mid(3) == heading.toUtf8();
    else if (here && line.startsWith("    "))
      code << QString::fromUtf8(line.mid(4));
  return code;
}

class HelpSnippets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    // One program a task is enough to be followed.
    for (const auto& [subject, database] : {std::pair(QString("resnet18"), "resnet18.nwdb"),
                                            std::pair(QString(kModel), "model.nwdb")}) {
      const ProgramResult tuned = run({"tune", subject, "--trials", "24", "--repeats", "1",
                                       "--seed", "1", "--db", folder_.filePath(database)});
      QVERIFY2(tuned.exitCode == 0, tuned.errors);
    }
    QVERIFY(QDir(folder_.path()).mkpath("bin"));
    command("nestwright", programPath());
  }

  void eachIsFollowed_data() {
    QTest::addColumn<QStringList>("modules");
    QTest::newRow("C") << QStringList();
    QTest::newRow("CMake") << QStringList();
    QTest::newRow("NumPy") << QStringList{"numpy"};
    QTest::newRow("PyTorch") << QStringList{"torch"};
    QTest::newRow("tvm-ffi") << QStringList{"tvm_ffi", "numpy"};
    QTest::newRow("ONNX Runtime") << QStringList{"onnxruntime", "numpy"};
    QTest::newRow("Parts of an ONNX file") << QStringList{"onnxruntime"};
  }

  void eachIsFollowed() {
    QFETCH(QStringList, modules);
    const QString heading = QString::fromUtf8(QTest::currentDataTag());
    const QStringList code = codeBelow(heading);
    QVERIFY(code.size() > 5 && code.size() <= 12);
    QVERIFY2(code.first().startsWith("nestwright "), qPrintable(code.first()));
    if (!modules.isEmpty()) {
      const QString python = pythonWith(modules);
      if (python.isEmpty()) QSKIP(whyNoPython(modules));
      command("python3", python);
    }
    const QString place = folder_.filePath(QString(heading).replace(' ', '_'));
    QVERIFY(QDir(folder_.path()).mkpath(place));
    for (const char* database : {"resnet18.nwdb", "model.nwdb"})
      QVERIFY(QFile::link(folder_.filePath(database), place + '/' + database));
    QVERIFY(QFile::link(kModel, place + "/model.onnx"));
    QVERIFY(QFile::link(kPartly, place + "/detector.onnx"));
    QVERIFY(write(place + "/way.sh", "PATH=\"" + folder_.filePath("bin").toUtf8() + ":$PATH\"\n" +
                                         code.join('\n').toUtf8() + '\n'));
    const ProgramResult followed = runIn(place, "sh", {"-e", "way.sh"});
    QVERIFY2(followed.exitCode == 0, followed.errors + followed.output);
  }

 private:
  static constexpr const char* kModel = NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx";

  static constexpr const char* kPartly = NESTWRIGHT_TEST_DATA "/onnx/broken/partly_supported.onnx";

  /// Where the shell looks first.
  void command(const QString& name, const QString& program) const {
    const QString path = folder_.filePath("bin/" + name);
    QVERIFY(write(path, "#!/bin/sh\nexec '" + program.toUtf8() + "' \"$@\"\n"));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(HelpSnippets)

} // namespace nestwright::help_snippets_test

#include "help_snippets.moc"
