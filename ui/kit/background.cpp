#include "ui/kit/background.h"

#include "ui/kit/text.h"

#include <exception>
#include <utility>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace nestwright::ui {
namespace {

/// A kernel may be being timed meanwhile; it comes first.
void yieldToOthers() {
#ifdef __linux__
  constexpr int kNiceness = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
#endif
}

} // namespace

Background::Background(QObject* parent) : QObject(parent), thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    waiting_.reset();
    if (running_) running_->store(true);
  }
  wake_.notify_one();
  thread_.join();
}

void Background::post(Work work, Fail fail) {
  Question question;
  question.number = wanted_ = ++last_;
  question.work = std::move(work);
  question.fail = std::move(fail);
  question.job.tell_ = [this, number = question.number](const QString& what) {
    QMetaObject::invokeMethod(
        this,
        [this, number, what] {
          if (number == wanted_) Q_EMIT progress(what);
        },
        Qt::QueuedConnection);
  };
  {
    const std::lock_guard lock(mutex_);
    if (running_) running_->store(true);
    waiting_ = std::move(question);
  }
  wake_.notify_one();
  Q_EMIT busyChanged();
}

void Background::cancel() {
  if (!wanted_) return;
  wanted_ = 0;
  {
    const std::lock_guard lock(mutex_);
    if (running_) running_->store(true);
    waiting_.reset();
  }
  Q_EMIT busyChanged();
}

std::function<void()> Background::answerOf(const Question& question) {
  try {
    return question.work(question.job);
  } catch (const Stopped&) {
    return {};
  } catch (const std::exception& problem) {
    return [fail = question.fail, text = qs(problem.what())] {
      if (fail) fail(text);
    };
  }
}

void Background::run() {
  yieldToOthers();
  for (;;) {
    Question question;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return quit_ || waiting_; });
      if (quit_) return;
      question = std::move(*waiting_);
      waiting_.reset();
      running_ = question.job.stop_;
    }
    std::function<void()> answer = answerOf(question);
    {
      const std::lock_guard lock(mutex_);
      running_.reset();
    }
    QMetaObject::invokeMethod(
        this,
        [this, number = question.number, answer = std::move(answer)] {
          if (number != wanted_) return;
          wanted_ = 0;
          if (answer) answer();
          Q_EMIT busyChanged();
        },
        Qt::QueuedConnection);
  }
}

} // namespace nestwright::ui
