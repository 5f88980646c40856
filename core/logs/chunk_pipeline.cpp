#include "core/logs/chunk_pipeline.h"

#include "core/support/error.h"

#include <utility>

namespace nestwright {

ChunkPipeline::ChunkPipeline(std::vector<LogJob> jobs, unsigned threads)
    : jobs_(std::move(jobs)), capacity_(4 + 2 * std::size_t(std::max(threads, 1u))) {
  threads_.emplace_back([this] { read(); });
  for (unsigned i = 0; i < std::max(threads, 1u); ++i)
    threads_.emplace_back([this] { parse(); });
}

ChunkPipeline::~ChunkPipeline() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void ChunkPipeline::fail() {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  changed_.notify_all();
}

/// False when nobody wants any more.
bool ChunkPipeline::push(std::shared_ptr<Slot> slot) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_ || order_.size() < capacity_; });
  if (stop_) return false;
  if (!slot->parsed) todo_.push_back(slot);
  order_.push_back(std::move(slot));
  changed_.notify_all();
  return true;
}

/// False when nobody wants any more.
bool ChunkPipeline::readJob(std::size_t job) {
  const auto end = std::make_shared<Slot>();
  end->piece = std::make_unique<Piece>();
  end->piece->job = job;
  end->piece->last = end->parsed = true;
  try {
    LineChunks chunks(jobs_[job].path, jobs_[job].offset, jobs_[job].line);
    for (;;) {
      const auto slot = std::make_shared<Slot>();
      if (!chunks.next(slot->chunk)) break;
      slot->piece = std::make_unique<Piece>();
      slot->piece->job = job;
      if (!push(slot)) return false;
    }
  } catch (const InputError& error) {
    end->piece->error = error.what();
  }
  return push(end);
}

void ChunkPipeline::read() {
  try {
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (!readJob(job)) break;
  } catch (...) {
    fail();
  }
  {
    const std::lock_guard lock(mutex_);
    readAll_ = true;
  }
  changed_.notify_all();
}

void ChunkPipeline::parse() {
  try {
    LineParser parser;
    for (;;) {
      std::shared_ptr<Slot> slot;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || !todo_.empty() || readAll_; });
        if (stop_ || todo_.empty()) return;
        slot = todo_.front();
        todo_.pop_front();
      }
      ParsedChunk parsed = parseChunk(parser, slot->chunk);
      {
        const std::lock_guard lock(mutex_);
        slot->piece->parsed = std::move(parsed);
        slot->parsed = true;
      }
      slot->chunk = {};
      changed_.notify_all();
    }
  } catch (...) {
    fail();
  }
}

std::unique_ptr<ChunkPipeline::Piece> ChunkPipeline::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [&] { return failure_ || (order_.empty() ? readAll_ : order_.front()->parsed); });
  if (failure_) std::rethrow_exception(failure_);
  if (order_.empty()) return nullptr;
  std::unique_ptr<Piece> piece = std::move(order_.front()->piece);
  order_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return piece;
}

} // namespace nestwright
