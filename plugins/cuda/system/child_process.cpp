#include "plugins/cuda/system/child_process.h"

#include "core/support/clock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

extern char** environ;

namespace nestwright::cuda {
namespace {

/// Reads to the end of the pipe; false when the time is up before.
bool readAll(int pipe, double seconds, std::string& out) {
  const auto start = std::chrono::steady_clock::now();
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const double left = seconds - secondsSince(start);
    pollfd waiting{pipe, POLLIN, 0};
    if (left <= 0) return false;
    const int ready = poll(&waiting, 1, static_cast<int>(left * 1e3) + 1);
    if (ready == 0) return false;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = read(pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    out.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

} // namespace

ChildOutput runProgram(const std::vector<std::string>& command, double seconds) {
  ChildOutput result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.problem = std::strerror(errno);
    return result;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failure =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    result.problem = fmt::format("{} cannot be started: {}", command[0], std::strerror(failure));
    return result;
  }
  const bool ended = readAll(ends[0], seconds, result.out);
  close(ends[0]);
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended)
    result.problem = fmt::format("{} did not end within {:g} s", command[0], seconds);
  else if (WIFEXITED(status))
    result.exitCode = WEXITSTATUS(status);
  else
    result.problem = fmt::format("{} was ended by signal {}", command[0], WTERMSIG(status));
  return result;
}

} // namespace nestwright::cuda
