#pragma once
/// \file Ctrl+C pauses what runs, so that it can be gone on with.

#include <csignal>
#include <functional>
#include <thread>

namespace nestwright::cli {

/// Calls a function on the first Ctrl+C or SIGTERM. Signals must be blocked before any thread
/// starts, so this comes first.
class PauseOnSignal {
 public:
  PauseOnSignal();
  ~PauseOnSignal();
  PauseOnSignal(const PauseOnSignal&) = delete;
  PauseOnSignal& operator=(const PauseOnSignal&) = delete;

  /// `pause` is called on a thread of this object's, at most once, until it goes.
  void watch(std::function<void()> pause);

 private:
  sigset_t signals_;
  std::thread thread_;
};

} // namespace nestwright::cli
