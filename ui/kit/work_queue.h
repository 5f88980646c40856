#pragma once
/// \file Slow work that writes or waits (making a session, preparing one, ending one): done one
/// after the other on a thread of its own, so that the window stays responsive.

#include <QObject>
#include <QString>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace nestwright::ui {

class WorkQueue : public QObject {
  Q_OBJECT
 public:
  explicit WorkQueue(QObject* parent = nullptr);
  /// Finishes what was asked.
  ~WorkQueue() override;

  /// Runs `work` on the work queue and then, on the GUI thread, `done` with an empty text, or
  /// with the reason why it failed.
  void run(std::function<void()> work, std::function<void(const QString& error)> done);

 private:
  struct Item {
    std::function<void()> work;
    std::function<void(const QString&)> done;
  };
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> items_;
  bool quit_ = false;
  std::thread thread_;
};

} // namespace nestwright::ui
