/// Learners that are not there, say something else, end, or say nothing.

#include "core/learn/learner.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

namespace nestwright::lost_learners_test {

std::string lossOf(const QString& script) {
  LearnerLaunch launch;
  launch.command = {"/bin/sh", "-c", script.toStdString()};
  launch.startSeconds = 0.5;
  launch.silenceSeconds = 0.5;
  Learner learner(launch);
  const FeatureTable table = [] {
    FeatureTable result(4);
    const std::vector<float> row = {1, 2, 3, 4};
    result.add(row);
    return result;
  }();
  NetworkShape shape = publishedShape(Architecture::Mlp, 4);
  shape.hidden = 2;
  return test::messageOf([&] { learner.score(freshNetwork(shape, 1), table, 1); });
}

/// A shell's words for a frame of this header and nothing else.
QString frame(const QByteArray& header) {
  QString text = "printf 'NWF1";
  for (int i = 0; i < 4; ++i)
    text += QString("\\%1").arg(header.size() >> (8 * i) & 0xff, 3, 8, QChar('0'));
  for (int i = 0; i < 8; ++i)
    text += "\\000";
  return text + QString::fromUtf8(header) + "'; ";
}

QString hello(int protocol, const QByteArray& error = {}) {
  return frame("{\"type\":\"hello\",\"protocol\":" + QByteArray::number(protocol) +
               ",\"error\":\"" + error +
               "\",\"version\":\"0.0.9\",\"torch\":\"1\",\"blas\":\"b\"}");
}

class LostLearners : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachIsASentenceWithWhatToDo_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("a library is missing")
        << "echo 'error while loading shared libraries: libtorch_cpu.so.1.13' >&2; exit 127"
        << QStringList{"exit code 127", "libtorch_cpu.so.1.13", "apt-get install"};
    QTest::newRow("says nothing") << "exec sleep 60" << QStringList{"said nothing for 0.5 s"};
    QTest::newRow("says something else")
        << "echo Welcome; sleep 60" << QStringList{"cannot be understood", "Welcome"};
    QTest::newRow("refuses") << hello(kLearnerProtocol, "the reference BLAS") + "sleep 60"
                             << QStringList{"cannot work", "reference BLAS"};
    QTest::newRow("another release")
        << hello(99) + "sleep 60" << QStringList{"protocol 99", "0.0.9", "same release"};
    QTest::newRow("hangs at work")
        << hello(kLearnerProtocol) + "exec sleep 60" << QStringList{"said nothing for 0.5 s"};
    QTest::newRow("dies at work") << hello(kLearnerProtocol) + "head -c 4 >&2; kill -9 $$"
                                  << QStringList{"signal 9", "want of memory"};
    QTest::newRow("out of memory")
        << hello(kLearnerProtocol) + frame("{\"type\":\"done\"}") +
               frame("{\"type\":\"failed\",\"error\":\"out of memory\",\"out_of_memory\":true}") +
               "sleep 60"
        << QStringList{"ran out of memory", "1 program of", "fewer programs"};
    QTest::newRow("fails") << hello(kLearnerProtocol) +
                                  frame("{\"type\":\"failed\",\"error\":\"no such "
                                        "shape\",\"out_of_memory\":false}") +
                                  "sleep 60"
                           << QStringList{"refuses: no such shape"};
  }
  void eachIsASentenceWithWhatToDo() {
    QFETCH(QString, script);
    QFETCH(QStringList, words);
    const QString text = QString::fromStdString(lossOf(script));
    for (const QString& word : words)
      QVERIFY2(text.contains(word), qPrintable(text));
  }

  void aMissingProgramIsNamed() {
    LearnerLaunch launch;
    launch.command = {"/nowhere/nestwright-learner"};
    Learner learner(launch);
    QVERIFY_THROWS_EXCEPTION(SystemError, learner.hello());
  }
};

NW_TEST_GUILESS(LostLearners)

} // namespace nestwright::lost_learners_test

#include "lost_learners.moc"
