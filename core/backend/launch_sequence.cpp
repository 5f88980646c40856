#include "core/backend/launch_sequence.h"

#include "core/backend/device.h"
#include "core/support/clock.h"

#include <chrono>

namespace nestwright {
namespace {

using Clock = std::chrono::steady_clock;

class CallsInTurn final : public LaunchSequence {
 public:
  CallsInTurn(Device& device, std::vector<KernelCall> calls)
      : device_(device), calls_(std::move(calls)) {}

  void run() override {
    for (const KernelCall& call : calls_)
      device_.run(call);
  }

  double time() override {
    const auto start = Clock::now();
    run();
    return secondsSince(start);
  }

  SequenceSeconds timeEach() override {
    SequenceSeconds seconds;
    seconds.calls.reserve(calls_.size());
    const auto start = Clock::now();
    auto before = start;
    for (const KernelCall& call : calls_) {
      device_.run(call);
      const auto now = Clock::now();
      seconds.calls.push_back(std::chrono::duration<double>(now - before).count());
      before = now;
    }
    seconds.total = secondsSince(start);
    return seconds;
  }

 private:
  Device& device_;
  std::vector<KernelCall> calls_;
};

} // namespace

std::unique_ptr<LaunchSequence> callsInTurn(Device& device, std::vector<KernelCall> calls) {
  return std::make_unique<CallsInTurn>(device, std::move(calls));
}

} // namespace nestwright
