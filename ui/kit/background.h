#pragma once
/// \file Long computations of one view (reading, replaying, compiling, comparing) beside the
/// window: the newest question only, whose answer comes on the GUI thread. What runs can be told to
/// stop.

#include "ui/kit/one_thread.h"

#include <QFutureWatcher>
#include <QObject>
#include <QPromise>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace nestwright::ui {

/// Thrown by work that found itself stopped; its answer is not wanted.
struct Stopped {};

/// What a computation in the background may ask and tell.
class Job {
 public:
  /// Of work that nobody waits for: it is never stopped, and tells nobody.
  Job();
  bool isStopped() const { return promise_.isCanceled(); }
  /// Throws Stopped when the answer is not wanted any more. To be called now and then.
  void check() const {
    if (isStopped()) throw Stopped();
  }
  /// Says what is being done, for a progress line.
  void tell(const QString& what) const { promise_.addResult(what); }

 private:
  friend class Background;
  using Answer = std::function<void()>; // to be called on the GUI thread
  using Said = std::variant<QString, Answer>;
  explicit Job(QPromise<Said>& promise) : promise_(promise) {}

  QPromise<Said>& promise_;
};

class Background : public QObject {
  Q_OBJECT
 public:
  using Fail = std::function<void(const QString& why)>;

  /// On a thread of its own, which yields to the session's measurements; or on `threads` that
  /// others use, too, and that outlive this.
  explicit Background(QObject* parent = nullptr, QThreadPool* threads = nullptr);
  /// Tells the work to stop; that of an own thread is waited for.
  ~Background() override;

  /// Runs `work` on the thread, then `done` with its result on the GUI thread, or `fail` when it
  /// throws. Replaces what was asked before: that is stopped, and its answer dropped.
  template <class T>
  void ask(std::function<T(const Job&)> work, std::function<void(T)> done, Fail fail) {
    start(
        [work = std::move(work), done = std::move(done)](const Job& job) -> Job::Answer {
          // Shared, because std::function wants to be copied and T need not be cheap to copy.
          auto result = std::make_shared<T>(work(job));
          return [result, done] { done(std::move(*result)); };
        },
        std::move(fail));
  }

  /// Stops the work; no answer comes.
  void cancel();
  bool isBusy() const { return busy_; }

 Q_SIGNALS:
  /// What the wanted work is doing.
  void progress(const QString& what);
  /// isBusy() changed.
  void busyChanged();

 protected:
  /// Runs this on the thread when what was asked for is done or stopped, whatever is asked next.
  void afterwards(std::function<void()> work) { threads_->start(std::move(work)); }

 private:
  void start(std::function<Job::Answer(const Job&)> work, Fail fail);
  void tell(int result);
  void finish();

  std::optional<OneThread> own_;
  QThreadPool* threads_;
  QFutureWatcher<Job::Said> watcher_; // of the newest question alone
  bool busy_ = false;
};

} // namespace nestwright::ui
