#include "app/cli/isolated.h"

#include "core/support/error.h"
#include "core/support/waiting_threads.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;

namespace nestwright::cli {

namespace {

constexpr const char* kChildMark = "NESTWRIGHT_RUNS_KERNELS";

/// This process's arguments, as the kernel keeps them.
std::vector<std::string> ownArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');)
    arguments.push_back(argument);
  return arguments;
}

pid_t spawnSelf(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ);
  if (error != 0)
    throw SystemError(
        fmt::format("cannot start a process for the kernels: {}", std::strerror(error)));
  return child;
}

} // namespace

void continueInChild() {
  if (std::getenv(kChildMark)) return;
  setenv(kChildMark, "1", 1);
  setWaitingEnvironment();
  const pid_t child = spawnSelf(ownArguments());
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw SystemError(
          fmt::format("lost the process that runs the kernels: {}", std::strerror(errno)));
  if (WIFEXITED(status)) std::exit(WEXITSTATUS(status));
  throw SystemError(fmt::format("the process that ran the network ended with \"{}\" (signal {}); "
                                "nestwright query --errors may show a program that is at fault",
                                strsignal(WTERMSIG(status)), WTERMSIG(status)));
}

} // namespace nestwright::cli
