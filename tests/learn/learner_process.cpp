/// The learner as a process: which libraries it takes, and its end.

#include "core/learn/train.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "tests/learn/example_programs.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>

#include <csignal>
#include <numeric>
#include <thread>

namespace nestwright::learner_process_test {

/// The learner with these libraries in front of the system's.
Learner learnerWith(const QString& folder) {
  LearnerLaunch launch;
  launch.command = {"/usr/bin/env", "LD_LIBRARY_PATH=" + folder.toStdString(),
                    *ownProgram("nestwright-learner")};
  return Learner(launch);
}

/// Folder `name` of Debian's libraries; empty where it is not installed.
QString libraries(const QString& name) {
  for (const QFileInfo& entry : QDir("/usr/lib").entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot))
    if (QFile::exists(entry.filePath() + "/" + name + "/libblas.so.3"))
      return entry.filePath() + "/" + name;
  return {};
}

/// Trains for hours, and tells on `pipe` who works for it once the first pass is over.
[[noreturn]] void trainForHours(int pipe) {
  try {
    const DataSet set = test::examplePrograms({.programs = 400});
    std::vector<std::size_t> all(set.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    TrainingOptions options = publishedTraining(Architecture::Tlp, Loss::LambdaRank);
    options.epochs = 1'000'000;
    options.keep = Keep::Last;
    options.threads = 2;
    Learner learner;
    learner.hello();
    const int pid = learner.pid();
    TrainingObserver observer;
    observer.epochEnded = [&](const EpochResult& result) {
      if (result.epoch == 1 && ::write(pipe, &pid, sizeof pid) != sizeof pid) _exit(1);
    };
    train(learner, {set, {all, {}}, options}, observer);
  } catch (const std::exception&) {
  }
  _exit(1);
}

/// Whether it still does anything: one that nobody has waited for yet does not.
bool runs(int pid) {
  QFile status(QString("/proc/%1/stat").arg(pid));
  if (!status.open(QIODevice::ReadOnly)) return false;
  const QByteArray text = status.readAll();
  return !text.mid(text.lastIndexOf(')') + 2).startsWith('Z');
}

class LearnerProcess : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { NW_NEED_LEARNER(); }

  void refusesLibrariesThatAreSlowOrWrong_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("why");
    QTest::newRow("the reference") << "blas"
                                   << "fifteen times";
    QTest::newRow("no locks") << "openblas-serial"
                              << "wrong products";
  }
  void refusesLibrariesThatAreSlowOrWrong() {
    QFETCH(QString, folder);
    QFETCH(QString, why);
    const QString path = libraries(folder);
    if (path.isEmpty()) QSKIP("this library is not installed here");
    Learner learner = learnerWith(path);
    const QString text = QString::fromStdString(test::messageOf([&] { learner.hello(); }));
    QVERIFY2(text.contains(why) && text.contains("apt-get install libopenblas0-pthread"),
             qPrintable(text));
    QCOMPARE(learner.pid(), -1);
  }

  /// Whoever asks may be killed in the middle of a pass; nobody goes on working for it.
  void endsWithItsParent() {
    int ends[2];
    QCOMPARE(pipe(ends), 0);
    const pid_t parent = fork();
    QVERIFY(parent >= 0);
    if (parent == 0) trainForHours(ends[1]);
    close(ends[1]);
    int pid = -1;
    const ssize_t got = ::read(ends[0], &pid, sizeof pid);
    close(ends[0]);
    const bool ran = got == sizeof pid && runs(pid);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    QVERIFY(ran);
    const auto killed = std::chrono::steady_clock::now();
    while (runs(pid) && secondsSince(killed) < 5)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double seconds = secondsSince(killed);
    if (runs(pid)) kill(pid, SIGKILL);
    QVERIFY2(seconds < 1, qPrintable(QString::number(seconds)));
  }

  /// Without more to do it ends by itself, and well.
  void endsWithItsInput() {
    QProcess process;
    process.start(QString::fromStdString(*ownProgram("nestwright-learner")), QStringList());
    QVERIFY(process.waitForReadyRead(120'000)); // its hello
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(5000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
  }
};

NW_TEST_GUILESS(LearnerProcess)

} // namespace nestwright::learner_process_test

#include "learner_process.moc"
