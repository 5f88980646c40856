#include "app/cli/pause_on_signal.h"

#include <utility>

namespace nestwright::cli {

PauseOnSignal::PauseOnSignal() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGUSR1); // ends the waiting thread
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

void PauseOnSignal::watch(std::function<void()> pause) {
  thread_ = std::thread([this, pause = std::move(pause)] {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (signal != SIGUSR1) pause();
  });
}

PauseOnSignal::~PauseOnSignal() {
  if (!thread_.joinable()) return;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

} // namespace nestwright::cli
