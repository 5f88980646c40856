#pragma once
/// \file Long computations of one view (replaying, compiling, comparing): on a thread of its own,
/// the newest question only. Unlike the Reader's, this thread holds up no other view; it yields to
/// the session's measurements, and what runs can be told to stop.

#include <QObject>
#include <QString>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace nestwright::ui {

/// Thrown by work that found itself stopped; its answer is not wanted.
struct Stopped {};

/// What a computation in the background may ask and tell.
class Job {
 public:
  /// The same as a flag, for work that watches one; lives as long as the job.
  const std::atomic<bool>& stopFlag() const { return *stop_; }
  bool isStopped() const { return stop_->load(std::memory_order_relaxed); }
  /// Throws Stopped when the answer is not wanted any more. To be called now and then.
  void check() const {
    if (isStopped()) throw Stopped();
  }
  /// Says what is being done, for a progress line.
  void tell(const QString& what) const {
    if (tell_) tell_(what);
  }

 private:
  friend class Background;
  std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
  std::function<void(const QString&)> tell_;
};

class Background : public QObject {
  Q_OBJECT
 public:
  using Fail = std::function<void(const QString& why)>;

  explicit Background(QObject* parent = nullptr);
  /// Tells the work to stop and waits for that.
  ~Background() override;

  /// Runs `work` on the thread, then `done` with its result on the GUI thread, or `fail` when it
  /// throws. Replaces what was asked before: that is stopped, and its answer dropped.
  template <class T>
  void ask(std::function<T(const Job&)> work, std::function<void(T)> done, Fail fail) {
    post(
        [work = std::move(work), done = std::move(done)](const Job& job) -> std::function<void()> {
          // Shared, because std::function wants to be copied and T need not be cheap to copy.
          auto result = std::make_shared<T>(work(job));
          return [result, done] { done(std::move(*result)); };
        },
        std::move(fail));
  }

  /// Stops the work; no answer comes.
  void cancel();
  bool isBusy() const { return wanted_ != 0; }

 Q_SIGNALS:
  /// What the wanted work is doing.
  void progress(const QString& what);
  /// isBusy() changed.
  void busyChanged();

 private:
  using Work = std::function<std::function<void()>(const Job&)>;
  struct Question {
    std::uint64_t number = 0;
    Job job;
    Work work;
    Fail fail;
  };

  void post(Work work, Fail fail);
  void run();
  std::function<void()> answerOf(const Question& question);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Question> waiting_;
  std::shared_ptr<std::atomic<bool>> running_; // the stop flag of what runs
  bool quit_ = false;
  std::uint64_t last_ = 0, wanted_ = 0; // GUI thread only; 0: none
  std::thread thread_;
};

} // namespace nestwright::ui
