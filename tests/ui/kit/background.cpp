/// Work beside the window: what is asked for last is answered, on the GUI thread, and what runs is
/// told to stop when nobody wants its answer.

#include "ui/kit/background.h"

#include "tests/support/test_program.h"
#include "ui/kit/work_queue.h"

#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

namespace nestwright::background_test {

using namespace nestwright::ui;

class BackgroundTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void answersComeOnTheGuiThreadAndLater();
  void onlyTheNewestQuestionIsAnswered();
  void cancelledWorkIsToldAndNotAnswered();
  void failuresAreAnswers();
  void everyStepIsTold();
  void theEndStopsTheWorkAndWaits();
  void sharedThreadsKeepTheOrder();
  void workOfNobodyGoesOn();
  void queuedWorkIsDoneInOrderAndFinished();
  void whoHasGoneIsNotAnswered();
};

/// A question that is under way until it is stopped.
struct Endless {
  QSemaphore began;
  std::atomic<bool> stopped = false;
  int run(const Job& job) {
    began.release();
    while (!job.isStopped())
      QThread::msleep(1);
    stopped = true;
    job.check();
    return 0;
  }
};

void BackgroundTest::answersComeOnTheGuiThreadAndLater() {
  for (int i = 0; i < 20; ++i) {
    Background background;
    QThread *worked = nullptr, *answered = nullptr;
    int got = 0;
    bool busyThen = true;
    background.ask<int>(
        [&](const Job&) {
          worked = QThread::currentThread();
          return 7;
        },
        [&](int value) {
          got = value;
          answered = QThread::currentThread();
          busyThen = background.isBusy();
        },
        {});
    QCOMPARE(got, 0); // however quick the work was
    QVERIFY(background.isBusy());
    QTRY_COMPARE(got, 7);
    QCOMPARE(answered, QThread::currentThread());
    QVERIFY(worked != answered);
    QVERIFY(!busyThen && !background.isBusy());
  }
}

void BackgroundTest::onlyTheNewestQuestionIsAnswered() {
  Background background;
  Endless first;
  std::vector<int> answers;
  const auto take = [&](int value) { answers.push_back(value); };
  background.ask<int>([&](const Job& job) { return first.run(job); }, take, {});
  first.began.acquire();
  std::atomic<int> ran = 0;
  for (int i = 1; i <= 50; ++i)
    background.ask<int>([&ran, i](const Job&) { return ++ran, i; }, take, {});
  QTRY_COMPARE(answers.size(), std::size_t(1));
  QCOMPARE(answers[0], 50);
  QCOMPARE(ran.load(), 1); // those that waited were not begun
  QVERIFY(first.stopped);
  QTest::qWait(20);
  QCOMPARE(answers.size(), std::size_t(1));
}

void BackgroundTest::cancelledWorkIsToldAndNotAnswered() {
  Background background;
  const QSignalSpy busy(&background, &Background::busyChanged);
  Endless work;
  int answers = 0;
  background.ask<int>([&](const Job& job) { return work.run(job); }, [&](int) { ++answers; },
                      [&](const QString&) { ++answers; });
  work.began.acquire();
  background.cancel();
  QVERIFY(!background.isBusy());
  QCOMPARE(busy.size(), 2);
  QTRY_VERIFY(work.stopped);
  QTest::qWait(20);
  QCOMPARE(answers, 0);
  // Also one that had finished, but was not answered yet.
  QSemaphore done;
  background.ask<int>([&](const Job&) { return done.release(), 1; }, [&](int) { ++answers; }, {});
  done.acquire();
  QThread::msleep(20);
  background.cancel();
  QTest::qWait(20);
  QCOMPARE(answers, 0);
}

void BackgroundTest::failuresAreAnswers() {
  Background background;
  QString why;
  background.ask<int>([](const Job&) -> int { throw std::runtime_error("no disk"); }, [](int) {},
                      [&](const QString& text) { why = text; });
  QTRY_COMPARE(why, QStringLiteral("no disk"));
  QVERIFY(!background.isBusy());
}

void BackgroundTest::everyStepIsTold() {
  Background background;
  QStringList told;
  connect(&background, &Background::progress, this,
          [&](const QString& what) { told.append(what); });
  bool done = false;
  background.ask<bool>(
      [](const Job& job) {
        for (const char* step : {"lower", "compile", "measure"})
          job.tell(QString::fromLatin1(step));
        return true;
      },
      [&](bool) {
        // The last step is told before the answer.
        QCOMPARE(told.size(), 3);
        done = true;
      },
      {});
  QTRY_VERIFY(done);
  QCOMPARE(told, QStringList({"lower", "compile", "measure"}));
}

void BackgroundTest::theEndStopsTheWorkAndWaits() {
  Endless work;
  int answers = 0;
  {
    Background background;
    background.ask<int>([&](const Job& job) { return work.run(job); }, [&](int) { ++answers; },
                        [&](const QString&) { ++answers; });
    work.began.acquire();
  }
  QVERIFY(work.stopped);
  QTest::qWait(20);
  QCOMPARE(answers, 0);
}

void BackgroundTest::sharedThreadsKeepTheOrder() {
  OneThread thread;
  Background one(nullptr, &thread), other(nullptr, &thread);
  QStringList order;
  QSemaphore go;
  const auto ask = [&](Background& asked, const QString& name) {
    asked.ask<QString>([name](const Job&) { return name; },
                       [&](const QString& answer) { order.append(answer); }, {});
  };
  thread.start([&] { go.acquire(); });
  ask(one, "first");
  ask(other, "second");
  ask(one, "third"); // in place of the first, and behind the second
  go.release();
  QTRY_COMPARE(order, QStringList({"second", "third"}));
}

void BackgroundTest::workOfNobodyGoesOn() {
  const Job job;
  job.tell(QStringLiteral("nothing hears this"));
  job.check();
  QVERIFY(!job.isStopped());
}

void BackgroundTest::queuedWorkIsDoneInOrderAndFinished() {
  std::vector<int> done;
  QStringList errors;
  {
    WorkQueue queue;
    for (int i = 0; i < 20; ++i)
      queue.run(
          &queue,
          [&done, i] {
            done.push_back(i);
            if (i == 3) throw std::runtime_error("third");
          },
          [&](const QString& error) { errors.append(error); });
    QCOMPARE(errors.size(), 0);
    QTRY_COMPARE(errors.size(), 20);
    QCOMPARE(errors[3], QStringLiteral("third"));
    QVERIFY(errors[4].isEmpty());
    queue.run(
        &queue, [&done] { QThread::msleep(20), done.push_back(20); }, [&](const QString&) {});
  }
  QCOMPARE(done.size(), std::size_t(21)); // the end waited
  QVERIFY(std::ranges::is_sorted(done));
}

void BackgroundTest::whoHasGoneIsNotAnswered() {
  WorkQueue queue;
  int answers = 0;
  auto receiver = std::make_unique<QObject>();
  queue.run(
      receiver.get(), [] {}, [&](const QString&) { answers += 1; });
  receiver.reset();
  bool after = false;
  queue.run(
      &queue, [] {}, [&](const QString&) { after = true; });
  QTRY_VERIFY(after);
  QCOMPARE(answers, 0);
}

NW_TEST_GUILESS(BackgroundTest)

} // namespace nestwright::background_test

#include "background.moc"
