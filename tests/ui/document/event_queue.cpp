/// \file Where the session's thread meets the window's: every event comes out once and in order,
/// whichever thread put it in and whatever the window does meanwhile.

#include "ui/document/event_queue.h"

#include "tests/support/test_program.h"

#include <QSignalSpy>
#include <QtTest>

#include <thread>

namespace nestwright::event_queue_test {

using namespace nestwright::ui;

Event numbered(RowId thread, std::int64_t number) {
  Measured event;
  event.task = thread;
  event.trial = number;
  return event;
}

class EventQueueTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyEventComesOnceAndInOrder() {
    constexpr int kThreads = 4;
    constexpr std::int64_t kEvents = 3000; // of each thread
    EventQueue queue;
    std::vector<std::int64_t> next(kThreads, 0);
    bool inOrder = true;
    QObject::connect(&queue, &EventQueue::ready, &queue, [&] {
      for (const Event& event : queue.take()) {
        const auto& measured = std::get<Measured>(event);
        inOrder = inOrder && measured.trial == next[std::size_t(measured.task)]++;
      }
    });
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&queue, thread] {
        for (std::int64_t i = 0; i < kEvents; ++i)
          queue.push(numbered(thread, i));
      });
    QTRY_COMPARE_WITH_TIMEOUT(next, std::vector<std::int64_t>(kThreads, kEvents), 60'000);
    QVERIFY(inOrder);
  }

  void eventsComeInBatches() {
    EventQueue queue;
    QSignalSpy ready(&queue, &EventQueue::ready);
    std::size_t taken = 0;
    QObject::connect(&queue, &EventQueue::ready, &queue, [&] { taken += queue.take().size(); });
    constexpr std::int64_t kEvents = 2000;
    QElapsedTimer timer;
    timer.start();
    std::jthread session([&queue] {
      for (std::int64_t i = 0; i < kEvents; ++i)
        queue.push(numbered(0, i));
    });
    QTRY_COMPARE_WITH_TIMEOUT(taken, std::size_t(kEvents), 60'000);
    // The first comes at once, the others a frame apart.
    QVERIFY(ready.count() <= 2 + timer.elapsed() / EventQueue::kInterval);
  }

  void aQueueMayGoWithEventsInIt() {
    for (int i = 0; i < 50; ++i) {
      EventQueue queue;
      std::jthread session([&queue] { queue.push(numbered(0, 0)); });
      if (i % 2 == 0) QCoreApplication::processEvents();
      session.join();
    }
  }
};

NW_TEST_GUILESS(EventQueueTest)

} // namespace nestwright::event_queue_test

#include "event_queue.moc"
