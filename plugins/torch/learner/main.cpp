/// \file nestwright-learner: trains neural cost models and scores programs with them, for the
/// programs that start it. Frames on standard input, answers on standard output
/// (core/learn/learner_protocol.h), until the end of input.

#include "core/support/error.h"
#include "core/support/process.h"
#include "core/support/version.h"
#include "core/worker/channel.h"
#include "core/worker/worker_limits.h"
#include "plugins/torch/learner/blas.h"
#include "plugins/torch/learner/engine.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace nestwright::learner {
namespace {

/// Often enough for a figure on a screen.
constexpr std::chrono::milliseconds kTellEvery{200};

class Service {
 public:
  explicit Service(const Channel& channel) : channel_(channel) {}

  Frame answer(const Frame& request) {
    const std::string type = learnerFrameType(request);
    if (type == "keep") {
      engine_.keep(keepWork(request), numbersIn(request));
      return doneFrame();
    }
    if (type == "score") return numbersFrame(engine_.score(scoreWork(request)));
    if (type == "explain") return numbersFrame(engine_.explain(explainWork(request)));
    if (type == "attention") return numbersFrame(engine_.attention(attentionWork(request)));
    if (type == "start") {
      engine_.start(startWork(request), numbersIn(request));
      return doneFrame();
    }
    if (type == "epoch") return epoch(epochWork(request));
    throw InputError(fmt::format("the learner knows no request \"{}\"", type));
  }

 private:
  Frame epoch(const EpochWork& work) {
    auto last = std::chrono::steady_clock::now();
    return toFrame(engine_.epoch(work, [&](std::size_t programs) {
      const auto now = std::chrono::steady_clock::now();
      if (now - last < kTellEvery) return;
      last = now;
      writeAll(channel_.out, encode(toFrame(EpochProgress{programs})));
    }));
  }

  Channel channel_;
  Engine engine_;
};

Frame answerOrFailure(Service& service, const Frame& request) {
  try {
    return service.answer(request);
  } catch (const std::bad_alloc&) {
    return failedFrame("out of memory", true);
  } catch (const std::exception& error) {
    return failedFrame(error.what(), false);
  }
}

int run() {
  const Channel channel = takeStandardStreams();
  LearnerHello hello;
  hello.version = version();
  hello.torch = Engine::libraryVersion();
  try {
    hello.blas = requireFastBlas();
  } catch (const SystemError& error) {
    hello.error = error.what();
  }
  if (!writeAll(channel.out, encode(toFrame(hello))) || !hello.error.empty()) return 1;
  exitWhenUnread(channel.out);
  Service service(channel);
  FrameReader reader(kLearnerRequest);
  while (const std::optional<Frame> request = readFrame(channel.in, reader))
    if (!writeAll(channel.out, encode(answerOrFailure(service, *request)))) return 1;
  return 0;
}

} // namespace
} // namespace nestwright::learner

int main(int count, char**) {
  nestwright::prepareProcess();
  nestwright::disableCoreDumps();
  if (count > 1 || isatty(STDIN_FILENO)) {
    std::puts("nestwright-learner trains neural cost models; `nestwright train` and sessions start "
              "it when they need it.");
    return count > 1 ? 2 : 0;
  }
  try {
    // At once: taking 280 libraries down one by one would only keep others waiting.
    std::_Exit(nestwright::learner::run());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nestwright-learner: %s\n", error.what());
    return 1;
  }
}
