#include "ui/document/reader.h"

#include "ui/kit/text.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace nestwright::ui {

Reader::Reader(QObject* parent) : QObject(parent), thread_([this] { run(); }) {}

Reader::~Reader() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    jobs_.clear();
  }
  wake_.notify_one();
  thread_.join();
}

void Reader::setPath(const QString& path) {
  wanted_.clear();
  const std::lock_guard lock(mutex_);
  jobs_.clear();
  path_ = path;
  ++pathGeneration_;
}

void Reader::post(Channel channel, Work work, Fail fail) {
  const std::uint64_t generation = nextGeneration_++;
  wanted_[channel] = generation;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(jobs_, [&](const Job& job) { return job.channel == channel; });
    jobs_.push_back({channel, generation, std::move(work), std::move(fail)});
  }
  wake_.notify_one();
}

void Reader::cancel(Channel channel) {
  wanted_.erase(channel);
  const std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [&](const Job& job) { return job.channel == channel; });
}

bool Reader::busy(Channel channel) const {
  return wanted_.contains(channel);
}

void Reader::run() {
  std::optional<RecordStore> store;
  std::uint64_t opened = 0;
  for (;;) {
    Job job;
    QString path;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return quit_ || !jobs_.empty(); });
      if (quit_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      path = path_;
      if (opened != pathGeneration_) store.reset();
      opened = pathGeneration_;
    }
    execute(store, path, std::move(job));
  }
}

void Reader::execute(std::optional<RecordStore>& store, const QString& path, Job job) {
  Answer answer;
  try {
    if (!store) store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    answer = job.work(*store);
  } catch (const std::exception& problem) {
    answer = [this, fail = std::move(job.fail), text = qs(problem.what())] {
      if (fail)
        fail(text);
      else
        Q_EMIT failed(text);
    };
  }
  QMetaObject::invokeMethod(
      this,
      [this, channel = job.channel, generation = job.generation, answer = std::move(answer)] {
        deliver(channel, generation, answer);
      },
      Qt::QueuedConnection);
}

void Reader::deliver(Channel channel, std::uint64_t generation, const Answer& answer) {
  const auto wanted = wanted_.find(channel);
  if (wanted == wanted_.end() || wanted->second != generation) return;
  wanted_.erase(wanted);
  answer();
}

} // namespace nestwright::ui
