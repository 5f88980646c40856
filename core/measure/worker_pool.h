#pragma once
/// \file A few worker processes that take jobs from one queue.

#include "core/worker/frame.h"
#include "core/worker/worker_process.h"

#include <poll.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// How one request to a worker ended.
struct WorkOutcome {
  enum class Kind : std::uint8_t {
    Answered,
    Ended,   // the worker died in mid-request
    Garbled, // it answered with something that makes no sense
    TimedOut,
    Cancelled, // by `stop`; perhaps never sent
  };
  Kind kind = Kind::Answered;
  Frame answer;       // Answered
  ProcessEnd end;     // Ended
  std::string text;   // Ended: what it printed. Garbled: what is wrong
  double seconds = 0; // from sending the request to here
};

struct WorkerJob;

/// What follows an outcome.
struct NextWork {
  std::unique_ptr<WorkerJob> followUp; // goes to the same worker, at once; only after an answer
  bool freshWorker = false;            // this worker cannot be trusted any more
};

struct WorkerJob {
  Frame request;
  double timeoutSeconds = 10;
  FrameLimits answer; // how large it can be
  /// What becomes of it. May throw BadFrame where it finds that an answer makes no sense: then the
  /// worker is ended, and it is called again with the outcome Garbled.
  std::function<NextWork(WorkOutcome&&)> onOutcome;
};

/// How this machine's worker of a kind ("worker", "network-worker") is started: the program
/// nestwright beside this one, with that verb. Throws SystemError when there is no such program.
std::vector<std::string> workerCommand(const std::string& verb);

struct PoolSettings {
  std::vector<std::string> command;
  std::vector<std::string> environment; // "NAME=value", in addition
  int workers = 1;
  int jobsPerWorker = 500;
  std::int64_t bytesPerWorker = 4ll << 30;
};

/// Not thread-safe. Workers live between calls. Whatever a worker says, it costs the job at hand
/// and that worker: an answer to another request, one too many, one that is too large.
class WorkerPool {
 public:
  explicit WorkerPool(PoolSettings settings) : settings_(std::move(settings)) {}

  /// Starts the workers that are missing, and does not wait for them.
  void start();
  /// A job for the next run(), or for the one that is under way.
  void add(WorkerJob job) { jobs_.push_back(std::move(job)); }
  /// Jobs that come before those that nobody has begun.
  void addBefore(std::deque<WorkerJob> jobs);
  /// Does the jobs of these pools, one at a time for each worker, and calls each one's `onOutcome`
  /// on this thread; that may add further jobs to the pools behind its own. Once `stop` is true,
  /// workers in mid-job are killed and the rest is Cancelled. Throws SystemError when a worker
  /// cannot be started, and what `onOutcome` throws. With `isDone`, which is asked again and again
  /// and may add jobs, it ends when that says so; what is left goes on with the next run.
  static void run(std::span<WorkerPool* const> pools, const std::atomic<bool>* stop,
                  const std::function<bool()>& isDone = {});
  /// Does all jobs of this one pool.
  void run(std::deque<WorkerJob> jobs, const std::atomic<bool>* stop);
  std::vector<int> pids() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    std::unique_ptr<WorkerProcess> process;
    bool ready = false;   // has said hello
    int jobs = 0;         // done by this process
    int failedStarts = 0; // in a row
    std::optional<WorkerJob> current;
    std::int64_t request = 0; // its number
    Clock::time_point since;  // of the current request, or of the start
    Clock::time_point deadline;
  };

  struct Answer {
    Frame frame;
    std::int64_t residentBytes = 0; // that the worker holds
  };

  void spawn(Worker& worker);
  static void retire(Worker& worker);
  /// Hands out jobs; whether there is more to wait for.
  bool proceed();
  void distribute();
  void assign(Worker& worker, WorkerJob job);
  static void wait(std::span<WorkerPool* const> pools, const std::atomic<bool>* stop);
  /// Adds what wakes the pool, and when it has to look again.
  void addWaiting(std::vector<pollfd>& descriptors, Clock::time_point& next) const;
  /// Takes in what the workers have said, and sends what they did not take yet.
  void service();
  /// Nobody is left in mid-job, also when a callback has thrown.
  void abandon();
  void handle(Worker& worker);
  void greet(Worker& worker);
  void startFailed(Worker& worker, const std::string& reason);
  /// The answer to the current request, if it is there. Throws BadFrame for anything else.
  static std::optional<Answer> answerOf(Worker& worker);
  void finish(Worker& worker, WorkOutcome outcome, std::int64_t residentBytes = 0);
  void cancel();
  bool anyBusy() const;
  int countStarting() const;

  PoolSettings settings_;
  std::vector<Worker> workers_;
  std::deque<WorkerJob> jobs_; // that nobody has begun
  std::int64_t requests_ = 0;  // made so far
};

} // namespace nestwright
