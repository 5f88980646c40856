#include "plugins/cuda/driver/context.h"

#include "core/support/clock.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace nestwright::cuda {
namespace {

constexpr unsigned kBlockingWaits = 4; // CU_CTX_SCHED_BLOCKING_SYNC
constexpr unsigned kStreamAfterCopies = 0, kPlainEvent = 0;

} // namespace

Context::Context(const Driver& driver, int device) : driver_(driver) {
  const DriverApi& api = driver.api();
  check(api.device(&device_, device), fmt::format("open device {}", device));
  // Refused where the context is there already: then it has somebody else's flags, which do.
  (void)api.setContextFlags(device_, kBlockingWaits);
  check(api.retainContext(&context_, device_), fmt::format("open a context on device {}", device));
  try {
    check(api.useContext(context_), "use the context");
    check(api.createStream(&stream_, kStreamAfterCopies), "make a stream");
    check(api.createEvent(&done_, kPlainEvent), "make an event");
  } catch (...) {
    close();
    throw;
  }
}

Context::~Context() {
  close();
}

void Context::close() noexcept {
  if (!mayBeCleaned()) return;
  const DriverApi& api = driver_.api();
  if (done_) (void)api.destroyEvent(done_);
  if (stream_) (void)api.destroyStream(stream_);
  if (context_) (void)api.releaseContext(device_);
}

const DriverApi& Context::api() const {
  if (lost_) throw *lost_;
  return driver_.api();
}

void Context::check(CuResult result, const std::string& what) {
  try {
    driver_.check(result, what);
  } catch (const DeviceError& error) {
    if (error.isSticky()) lost_ = error;
    throw;
  }
}

void Context::warnOnce(const std::string& what) {
  if (!std::exchange(hasWarned_, true)) spdlog::warn("{}", what);
}

void Context::wait(double seconds, const std::string& what) {
  using namespace std::chrono;
  constexpr double kPatientlySeconds = 100e-6; // a sleep takes as long as this to return from
  check(api().recordEvent(done_, stream_), what);
  const auto start = steady_clock::now();
  for (;;) {
    const CuResult result = driver_.api().queryEvent(done_);
    if (result != kCuNotReady) return check(result, what);
    const double waited = secondsSince(start);
    if (seconds > 0 && waited > seconds) {
      lost_.emplace(DeviceFault::OutOfTime, "",
                    fmt::format("the device did not {} within {:g} s; a kernel that runs cannot be "
                                "stopped, so this process has to end",
                                what, seconds));
      throw *lost_;
    }
    if (waited < kPatientlySeconds)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(duration<double>(std::min(waited / 10, 1e-3)));
  }
}

TimeMark::TimeMark(Context& context) : context_(context) {
  context_.check(context_.api().createEvent(&event_, kPlainEvent), "make an event");
}

TimeMark::~TimeMark() {
  if (context_.mayBeCleaned()) (void)context_.driver().api().destroyEvent(event_);
}

void TimeMark::record() {
  context_.check(context_.api().recordEvent(event_, context_.stream()), "mark a time");
}

void TimeMark::recordInGraph() {
  constexpr unsigned kOutside = 1; // CU_EVENT_RECORD_EXTERNAL: seen from outside of the graph
  context_.check(context_.api().recordEventInGraph(event_, context_.stream(), kOutside),
                 "mark a time in a graph");
}

double TimeMark::between(const TimeMark& begin, const TimeMark& end) {
  float milliseconds = 0;
  Context& context = begin.context_;
  context.check(context.api().elapsed(&milliseconds, begin.event_, end.event_), "tell a time");
  return milliseconds * 1e-3;
}

} // namespace nestwright::cuda
