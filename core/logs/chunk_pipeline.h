#pragma once
/// \file Reading on one thread and parsing on some others, while the caller stores what they made,
/// in the order of the files.

#include "core/logs/line_chunks.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace nestwright {

/// A file to read, from a byte on that is the first of a line.
struct LogJob {
  std::string path;
  std::int64_t offset = 0;
  std::int64_t line = 1;
};

class ChunkPipeline {
 public:
  struct Piece {
    std::size_t job = 0;
    ParsedChunk parsed;
    std::string error; // why the rest of the file cannot be read
    bool last = false; // of its file
  };

  /// `threads` parse.
  ChunkPipeline(std::vector<LogJob> jobs, unsigned threads);
  /// Stops the threads, whether everything was taken or not.
  ~ChunkPipeline();
  ChunkPipeline(const ChunkPipeline&) = delete;
  ChunkPipeline& operator=(const ChunkPipeline&) = delete;

  /// The next piece in order; null after the last one. Throws what went wrong on a thread.
  std::unique_ptr<Piece> next();

 private:
  struct Slot {
    LineChunk chunk;
    std::unique_ptr<Piece> piece;
    bool parsed = false;
  };
  void read();
  bool readJob(std::size_t job);
  void parse();
  bool push(std::shared_ptr<Slot> slot);
  void fail();

  std::vector<LogJob> jobs_;
  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Slot>> order_, todo_;
  bool readAll_ = false, stop_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

} // namespace nestwright
