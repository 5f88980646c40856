#include "core/measure/worker_pool.h"

#include "core/measure/protocol.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/worker/own_program.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

constexpr int kMaxFailedStarts = 3;
// Loading the compiler takes a tenth of a second here, and minutes on a sleepy cluster file system.
constexpr std::chrono::seconds kStartTimeout{120};
// How soon `stop` is noticed; everything else wakes the poll by itself.
constexpr int kStopMilliseconds = 50;

std::chrono::steady_clock::duration toDuration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::min(seconds, 1e9)));
}

bool isSet(const std::atomic<bool>* stop) {
  return stop && stop->load();
}

WorkOutcome garbled(const BadFrame& reason) {
  WorkOutcome outcome;
  outcome.kind = WorkOutcome::Kind::Garbled;
  outcome.text = reason.what();
  return outcome;
}

} // namespace

std::vector<std::string> workerCommand(const std::string& verb) {
  if (const auto program = ownProgram("nestwright")) return {*program, verb};
  throw SystemError(fmt::format("programs are measured by 'nestwright {}', and there is no such "
                                "program beside this one, nor in the folder bin next to it; "
                                "install the program nestwright beside this one",
                                verb));
}

void WorkerPool::start() {
  workers_.resize(static_cast<std::size_t>(settings_.workers));
  for (Worker& worker : workers_)
    if (!worker.process) spawn(worker);
}

void WorkerPool::retire(Worker& worker) {
  worker.process.reset();
  worker.ready = false;
  worker.current.reset();
}

void WorkerPool::spawn(Worker& worker) {
  worker.process =
      std::make_unique<WorkerProcess>(settings_.command, settings_.environment, kPlainAnswer);
  worker.jobs = 0;
  worker.since = Clock::now();
  worker.deadline = worker.since + kStartTimeout;
}

void WorkerPool::assign(Worker& worker, WorkerJob job) {
  worker.request = ++requests_;
  setRequestNumber(job.request, worker.request);
  worker.process->forgetPrinted();
  worker.process->expect(job.answer);
  worker.process->send(job.request);
  worker.since = Clock::now();
  worker.deadline = worker.since + toDuration(job.timeoutSeconds);
  worker.current = std::move(job);
  worker.process->flush();
}

int WorkerPool::countStarting() const {
  return static_cast<int>(std::count_if(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.process && !worker.ready;
  }));
}

bool WorkerPool::anyBusy() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const Worker& worker) { return worker.current.has_value(); });
}

void WorkerPool::distribute() {
  for (Worker& worker : workers_) {
    if (!worker.ready || worker.current || jobs_.empty()) continue;
    WorkerJob job = std::move(jobs_.front());
    jobs_.pop_front();
    assign(worker, std::move(job));
  }
  // No more workers than jobs: starting one costs more than most jobs.
  for (Worker& worker : workers_)
    if (!worker.process && countStarting() < static_cast<int>(jobs_.size())) spawn(worker);
}

bool WorkerPool::proceed() {
  for (Worker& worker : workers_)
    if (worker.process) handle(worker);
  distribute();
  // A worker that still starts would disturb whoever has the machine next: it is waited for.
  return !jobs_.empty() || anyBusy() || countStarting() > 0;
}

void WorkerPool::addBefore(std::deque<WorkerJob> jobs) {
  for (; !jobs.empty(); jobs.pop_back())
    jobs_.push_front(std::move(jobs.back()));
}

void WorkerPool::run(std::span<WorkerPool* const> pools, const std::atomic<bool>* stop,
                     const std::function<bool()>& isDone) {
  struct Guard {
    std::span<WorkerPool* const> pools;
    bool goesOn = false;
    ~Guard() {
      if (goesOn) return;
      for (WorkerPool* pool : pools)
        pool->abandon();
    }
  } guard{pools};
  for (WorkerPool* pool : pools) {
    pool->workers_.resize(static_cast<std::size_t>(pool->settings_.workers));
    pool->service(); // what happened since the last call
  }
  for (;;) {
    if (isSet(stop)) {
      for (WorkerPool* pool : pools)
        pool->cancel();
      return;
    }
    bool more = false;
    for (WorkerPool* pool : pools)
      more = pool->proceed() || more;
    if (isDone && isDone()) {
      guard.goesOn = true;
      return;
    }
    if (!more) return;
    wait(pools, stop);
  }
}

void WorkerPool::run(std::deque<WorkerJob> jobs, const std::atomic<bool>* stop) {
  for (WorkerJob& job : jobs)
    add(std::move(job));
  WorkerPool* const alone[] = {this};
  run(alone, stop);
}

void WorkerPool::abandon() {
  jobs_.clear();
  for (Worker& worker : workers_)
    if (worker.current) retire(worker);
}

void WorkerPool::cancel() {
  WorkOutcome cancelled;
  cancelled.kind = WorkOutcome::Kind::Cancelled;
  for (Worker& worker : workers_)
    if (worker.current) finish(worker, cancelled);
  for (; !jobs_.empty(); jobs_.pop_front())
    jobs_.front().onOutcome(WorkOutcome(cancelled));
}

void WorkerPool::addWaiting(std::vector<pollfd>& descriptors, Clock::time_point& next) const {
  for (const Worker& worker : workers_) {
    if (!worker.process) continue;
    const WorkerProcess& process = *worker.process;
    const int events = process.wantsToWrite() ? POLLIN | POLLOUT : POLLIN;
    descriptors.push_back({process.channel(), static_cast<short>(events), 0});
    if (process.errorPipe() >= 0) descriptors.push_back({process.errorPipe(), POLLIN, 0});
    if (!worker.ready || worker.current) next = std::min(next, worker.deadline);
  }
}

void WorkerPool::wait(std::span<WorkerPool* const> pools, const std::atomic<bool>* stop) {
  std::vector<pollfd> descriptors;
  Clock::time_point next = Clock::time_point::max();
  for (const WorkerPool* pool : pools)
    pool->addWaiting(descriptors, next);
  const double left = std::chrono::duration<double, std::milli>(next - Clock::now()).count();
  const double limit = stop ? kStopMilliseconds : 60e3;
  const int timeout = static_cast<int>(std::ceil(std::clamp(left, 0.0, limit)));
  poll(descriptors.data(), descriptors.size(), timeout); // interrupted or not, we look again
  for (WorkerPool* pool : pools)
    pool->service();
}

void WorkerPool::service() {
  for (const Worker& worker : workers_)
    if (worker.process) worker.process->service();
}

void WorkerPool::greet(Worker& worker) {
  std::optional<Hello> hello;
  try {
    if (const std::optional<Frame> frame = worker.process->receive()) hello = helloIn(*frame);
  } catch (const BadFrame& e) {
    return startFailed(worker, fmt::format("its first answer makes no sense: {}", e.what()));
  }
  if (hello) {
    if (!hello->error.empty())
      throw SystemError(fmt::format("a worker cannot work: {}", hello->error));
    if (hello->protocol != kProtocolVersion)
      throw SystemError(fmt::format("the worker '{}' speaks protocol {}, this program protocol {}; "
                                    "install the same release in both places",
                                    fmt::join(settings_.command, " "), hello->protocol,
                                    kProtocolVersion));
    worker.ready = true;
    worker.failedStarts = 0;
  } else if (worker.process->hasEnded()) {
    startFailed(worker, fmt::format("it ended with {}", inWords(worker.process->end())));
  } else if (Clock::now() >= worker.deadline) {
    startFailed(worker, fmt::format("it said nothing for {} s", kStartTimeout.count()));
  }
}

void WorkerPool::startFailed(Worker& worker, const std::string& reason) {
  worker.process->kill();
  const std::string printed = worker.process->printed();
  retire(worker);
  if (++worker.failedStarts >= kMaxFailedStarts) {
    worker.failedStarts = 0;
    throw SystemError(fmt::format("the worker '{}' does not start: {}{}{}",
                                  fmt::join(settings_.command, " "), reason,
                                  printed.empty() ? "" : "\n", printed));
  }
}

void WorkerPool::handle(Worker& worker) {
  if (!worker.ready) return greet(worker);
  const WorkerProcess& process = *worker.process;
  if (!worker.current) {
    // In its idle time no job is lost, and nobody asked it anything.
    if (process.hasEnded() || process.hasUnread()) retire(worker);
    return;
  }
  WorkOutcome outcome;
  try {
    if (std::optional<Answer> answer = answerOf(worker)) {
      outcome.answer = std::move(answer->frame);
      return finish(worker, std::move(outcome), answer->residentBytes);
    }
  } catch (const BadFrame& e) {
    return finish(worker, garbled(e));
  }
  if (process.hasEnded()) {
    outcome.kind = WorkOutcome::Kind::Ended;
    outcome.end = worker.process->end();
    outcome.text = process.printed();
  } else if (Clock::now() >= worker.deadline) {
    outcome.kind = WorkOutcome::Kind::TimedOut;
  } else {
    return;
  }
  finish(worker, std::move(outcome));
}

std::optional<WorkerPool::Answer> WorkerPool::answerOf(Worker& worker) {
  std::optional<Frame> frame = worker.process->receive();
  if (!frame) return std::nullopt;
  const std::int64_t resident = requireAnswerTo(worker.request, *frame);
  if (worker.process->hasUnread()) throw BadFrame("it says more than one answer");
  return Answer{std::move(*frame), resident};
}

void WorkerPool::finish(Worker& worker, WorkOutcome outcome, std::int64_t residentBytes) {
  outcome.seconds = secondsSince(worker.since);
  bool answered = outcome.kind == WorkOutcome::Kind::Answered;
  if (!answered) worker.process->kill(); // before anybody else gets the machine
  const WorkerJob job = std::move(*worker.current);
  worker.current.reset();
  NextWork next;
  const double seconds = outcome.seconds;
  try {
    next = job.onOutcome(std::move(outcome));
  } catch (const BadFrame& e) {
    answered = false;
    worker.process->kill();
    WorkOutcome again = garbled(e);
    again.seconds = seconds;
    next = job.onOutcome(std::move(again));
  } catch (...) { // nobody has judged the worker, so none of the next jobs is for it
    retire(worker);
    throw;
  }
  if (next.followUp && answered) return assign(worker, std::move(*next.followUp));
  ++worker.jobs;
  if (!answered || next.freshWorker || worker.jobs >= settings_.jobsPerWorker ||
      residentBytes > settings_.bytesPerWorker)
    retire(worker); // its successor starts when there is a job for it
}

std::vector<int> WorkerPool::pids() const {
  std::vector<int> pids;
  for (const Worker& worker : workers_)
    if (worker.process) pids.push_back(worker.process->pid());
  return pids;
}

} // namespace nestwright
