#include "core/learn/learner.h"

#include "core/learn/learner_packages.h"
#include "core/support/hash.h"
#include "core/support/json_fields.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/support/version.h"
#include "core/worker/own_program.h"

#include <fmt/ranges.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace nestwright {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kProgram = "nestwright-learner";
// How soon a request to stop is noticed.
constexpr int kStopMilliseconds = 50;

/// OpenBLAS does not know the newest processors and would use half of their vectors
/// (handbook/stack.md 17). Each part of the work is one thread's, so the libraries start none of
/// their own. libgomp and OpenBLAS read these before main.
std::vector<std::string> environment() {
  std::vector<std::string> variables = {"OMP_WAIT_POLICY=passive", "OMP_NUM_THREADS=1",
                                        "OPENBLAS_NUM_THREADS=1"};
#ifdef __x86_64__
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (wide && !std::getenv("OPENBLAS_CORETYPE"))
    variables.emplace_back("OPENBLAS_CORETYPE=SkylakeX");
#endif
  return variables;
}

std::vector<std::string> commandOf(const LearnerLaunch& launch) {
  if (!launch.command.empty()) return launch.command;
  if (const auto program = ownProgram(kProgram)) return {*program};
  throw SystemError(missingLearner());
}

std::string nameOf(const NeuralNetwork& network) {
  const auto bytes = [](const std::vector<float>& numbers) {
    return std::string_view(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof(float));
  };
  const std::string shape = toFields(network.shape).dump();
  return fmt::format("{:016x}",
                     hash64(bytes(network.weights), hash64(bytes(network.maxima), hash64(shape))));
}

} // namespace

std::string missingLearner() {
  if (ownProgram(kProgram)) return {};
  return fmt::format("neural cost models are the work of {}, and there is none beside this "
                     "program. To have it: {}, then packaging/dev build",
                     kProgram, kLearnerBuildPackages);
}

LearnerHello Learner::hello() {
  const std::lock_guard lock(mutex_);
  requireStarted();
  return hello_;
}

std::vector<float> Learner::score(const NeuralNetwork& network, const FeatureTable& table,
                                  int threads, std::stop_token stop) {
  if (table.empty()) return {};
  std::vector<std::size_t> all(table.programs());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  const TableFile file(table, all);
  const std::string name = nameOf(network);
  const std::size_t count = table.programs() * network.shape.heads;
  const std::lock_guard lock(mutex_);
  keep(network, name);
  const Frame answer =
      ask(toFrame(ScoreWork{name, file.layout(), threads}), answerOfNumbers(count),
          {table.programs(), file.layout().bytes(), "score fewer programs at once"}, stop);
  std::vector<float> outputs = numbersIn(answer);
  if (outputs.size() != count)
    lost(fmt::format("gave {} for {}", quantity(std::ssize(outputs), "score"),
                     quantity(std::int64_t(table.programs()), "program")),
         {});
  return outputs;
}

std::vector<float> Learner::explain(const NeuralNetwork& network, const FeatureTable& table,
                                    std::size_t program, std::size_t head) {
  const std::size_t one[] = {program};
  const TableFile file(table, one);
  const std::string name = nameOf(network);
  const std::size_t count = table.rowCount(program) * table.columns();
  const std::lock_guard lock(mutex_);
  keep(network, name);
  std::vector<float> values = numbersIn(
      ask(toFrame(ExplainWork{name, file.layout(), head}), answerOfNumbers(count), {}, {}));
  if (values.size() != count) lost("explained " + quantity(std::ssize(values), "number"), {});
  return values;
}

Attention Learner::attention(const NeuralNetwork& network, const FeatureTable& table,
                             std::size_t program) {
  const std::size_t one[] = {program};
  const TableFile file(table, one);
  const std::string name = nameOf(network);
  Attention attention;
  attention.rows = std::min(table.rowCount(program), network.shape.length);
  const std::size_t count = attention.rows * (attention.rows + 1);
  const std::lock_guard lock(mutex_);
  keep(network, name);
  attention.shares =
      numbersIn(ask(toFrame(AttentionWork{name, file.layout()}), answerOfNumbers(count), {}, {}));
  if (attention.shares.size() != count)
    lost(fmt::format("gave {} shares of attention, and not {}", attention.shares.size(), count),
         {});
  return attention;
}

void Learner::start(const StartWork& work, std::span<const float> numbers, std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  requireStarted();
  StartWork begun = work;
  begun.standsBack = launch_.niceness > 0;
  ask(toFrame(begun, numbers), answerOfNumbers(0),
      {work.table.programs, work.table.bytes(), "choose fewer programs"}, stop);
}

EpochAnswer Learner::epoch(const EpochWork& work, const StartWork& of,
                           const std::function<void(std::size_t)>& tell, std::stop_token stop) {
  const std::size_t trained = trainingNumbers(of.shape);
  const std::size_t count = trained + (of.table.programs - of.train) * of.shape.heads;
  const std::lock_guard lock(mutex_);
  EpochAnswer answer = epochAnswerIn(
      ask(toFrame(work), answerOfNumbers(count),
          {of.table.programs, of.table.bytes(), "choose a smaller --batch or fewer programs"}, stop,
          tell));
  if (answer.numbers.size() != count)
    lost(fmt::format("gave {} for an epoch, and not {}",
                     quantity(std::ssize(answer.numbers), "number"), count),
         {});
  return answer;
}

void Learner::end() {
  const std::lock_guard lock(mutex_);
  process_.reset();
  kept_.clear();
}

int Learner::pid() const {
  const std::lock_guard lock(mutex_);
  return process_ ? process_->pid() : -1;
}

void Learner::requireStarted() {
  if (process_ && !process_->hasEnded()) return;
  process_.reset();
  kept_.clear();
  process_ =
      std::make_unique<WorkerProcess>(commandOf(launch_), environment(), FrameLimits{1 << 20});
  if (launch_.niceness > 0) // its threads, which come later, take it over
    setpriority(PRIO_PROCESS, static_cast<id_t>(process_->pid()), launch_.niceness);
  std::optional<Frame> frame;
  try {
    frame = wait(launch_.startSeconds, {});
    if (frame) hello_ = learnerHelloIn(*frame);
  } catch (const InputError& error) {
    lost(fmt::format("cannot be understood ({})", error.what()), {});
  } catch (const nlohmann::json::exception& error) {
    lost(fmt::format("cannot be understood ({})", error.what()), {});
  }
  if (!frame) {
    const bool ended = process_->hasEnded();
    const std::string how =
        ended ? fmt::format("ended with {} before it said a word", inWords(process_->end()))
              : fmt::format("said nothing for {:g} s", launch_.startSeconds);
    lost(how, {0, 0, fmt::format("if a library is missing: {}", kLearnerPackages)});
  }
  const std::string refused = hello_.error;
  if (hello_.protocol == kLearnerProtocol && refused.empty()) return;
  process_.reset();
  if (!refused.empty()) throw SystemError(fmt::format("the learner cannot work: {}", refused));
  throw SystemError(
      fmt::format("the learner speaks protocol {}, this program protocol {}: it is of "
                  "Nestwright {}, and this is {}; install the same release of both",
                  hello_.protocol, kLearnerProtocol, hello_.version, version()));
}

void Learner::lost(const std::string& how, const About& about) {
  std::string text = fmt::format("the learner {}", how);
  if (about.programs > 0)
    text +=
        fmt::format(", with {} of {} before it", quantity(std::int64_t(about.programs), "program"),
                    formatBytes(static_cast<double>(about.bytes)));
  if (process_) {
    process_->kill();
    if (const std::string printed = process_->printed(); !printed.empty())
      text += fmt::format("; it printed: {}", printed);
  }
  process_.reset();
  kept_.clear();
  if (!about.advice.empty()) text += fmt::format(". What to do: {}", about.advice);
  throw SystemError(text);
}

std::optional<Frame> Learner::wait(double seconds, std::stop_token stop) {
  const auto start = Clock::now();
  for (;;) {
    process_->service();
    if (std::optional<Frame> frame = process_->receive()) return frame;
    if (process_->hasEnded()) return std::nullopt;
    if (stop.stop_requested()) {
      process_.reset();
      kept_.clear();
      throw LearnerStopped();
    }
    const double left = seconds - std::chrono::duration<double>(Clock::now() - start).count();
    if (left <= 0) return std::nullopt;
    const auto events = static_cast<short>(process_->wantsToWrite() ? POLLIN | POLLOUT : POLLIN);
    pollfd watched[] = {{process_->channel(), events, 0}, {process_->errorPipe(), POLLIN, 0}};
    const double limit = stop.stop_possible() ? kStopMilliseconds : 1000;
    poll(watched, process_->errorPipe() >= 0 ? 2 : 1,
         static_cast<int>(std::ceil(std::min(left * 1000, limit))));
  }
}

Frame Learner::ask(const Frame& request, FrameLimits limits, const About& about,
                   std::stop_token stop, const std::function<void(std::size_t)>& tell) {
  if (!process_) lost("is gone", about);
  process_->expect(limits);
  process_->send(request);
  for (;;) {
    std::optional<Frame> frame;
    std::string type;
    try {
      frame = wait(launch_.silenceSeconds, stop);
      if (frame) type = learnerFrameType(*frame);
      if (type == "progress") {
        if (tell) tell(epochProgressIn(*frame).programs);
        continue;
      }
    } catch (const BadFrame& error) {
      lost(fmt::format("cannot be understood ({})", error.what()), about);
    }
    if (!frame && !process_->hasEnded())
      lost(fmt::format("said nothing for {:g} s", launch_.silenceSeconds), about);
    if (!frame) {
      const ProcessEnd end = process_->end();
      const bool killed = killedFromOutside(end);
      lost(fmt::format("ended with {}{}", inWords(end),
                       killed ? ": somebody, or the system for want of memory, killed it" : ""),
           about);
    }
    if (type != "failed") return std::move(*frame);
    const std::string error = errorIn(*frame);
    if (isOutOfMemory(*frame)) lost("ran out of memory", about);
    throw InputError(fmt::format("the learner refuses: {}", error));
  }
}

void Learner::keep(const NeuralNetwork& network, const std::string& name) {
  requireStarted();
  if (kept_.contains(name)) return;
  if (kept_.size() >= kKeptNetworks) kept_.clear();
  ask(toFrame(KeepWork{name, network.shape}, network), answerOfNumbers(0), {}, {});
  kept_.insert(name);
}

} // namespace nestwright
