#include "core/worker/line_process.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace nestwright {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLookMilliseconds = 50; // how often it is looked whether to stop

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

int millisecondsUntil(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, kLookMilliseconds));
}

} // namespace

LineProcess::LineProcess(const std::vector<std::string>& command, std::size_t longest,
                         const std::string& role)
    : child_(command, {}, ChildStreams::Apart, role), longest_(longest) {}

void LineProcess::say(std::string_view line) {
  child_.send(line);
  child_.send("\n");
}

void LineProcess::read() {
  std::array<char, 64 << 10> chunk;
  // No further than a line: one that floods is not to fill our memory.
  while (!hasLine() && received_.size() <= longest_) {
    const std::string_view bytes = child_.read(chunk);
    if (bytes.empty()) break;
    received_ += bytes;
  }
  child_.readErrors();
}

void LineProcess::await(int milliseconds) const {
  std::array<pollfd, 3> wanted{{{child_.output(), POLLIN, 0}, {child_.errorPipe(), POLLIN, 0}, {}}};
  wanted[2].fd = child_.wantsToWrite() ? child_.input() : -1;
  wanted[2].events = POLLOUT;
  ::poll(wanted.data(), wanted.size(), milliseconds);
}

HeardLine LineProcess::hear(double seconds, const std::atomic<bool>* stop) {
  using Kind = HeardLine::Kind;
  const Clock::time_point end = after(seconds);
  while (true) {
    child_.flush();
    read();
    if (const std::size_t at = received_.find('\n'); at != std::string::npos && at <= longest_) {
      HeardLine heard{Kind::Line, received_.substr(0, at)};
      received_.erase(0, at + 1);
      return heard;
    }
    if (received_.size() > longest_) return {Kind::TooLong, received_.substr(0, longest_)};
    if (child_.hasEnded()) return {Kind::Ended, received_};
    if (stop && *stop) return {Kind::Stopped, {}};
    if (Clock::now() >= end) return {Kind::Late, received_};
    await(millisecondsUntil(end));
  }
}

bool LineProcess::hasMore() {
  read();
  return !received_.empty();
}

void LineProcess::finish(double seconds) {
  const Clock::time_point end = after(seconds);
  while (child_.wantsToWrite() && !child_.hasEnded() && Clock::now() < end) {
    child_.flush();
    received_.clear(); // nobody wants to hear it
    read();
    if (child_.wantsToWrite()) await(millisecondsUntil(end));
  }
  child_.closeInput();
  while (!child_.hasEnded() && Clock::now() < end) {
    received_.clear();
    read();
    if (!child_.hasEnded()) await(millisecondsUntil(end));
  }
  child_.readErrors();
  if (child_.hasEnded())
    child_.end();
  else
    child_.kill();
}

std::string LineProcess::takePrinted() {
  child_.readErrors();
  std::string printed = child_.printed();
  child_.forgetPrinted();
  return printed;
}

} // namespace nestwright
