#include "core/support/run_command.h"

#include "core/support/error.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

extern char** environ;

namespace nestwright {

namespace {

bool isProgram(const std::string& file) {
  std::error_code unknown;
  return ::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, unknown);
}

/// File actions of posix_spawn, released with the scope.
struct FileActions {
  posix_spawn_file_actions_t actions;
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

/// Reads to the end, and keeps the beginning.
std::string readAll(int descriptor) {
  constexpr std::size_t kMost = 64 << 10;
  std::string text;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), std::min(static_cast<std::size_t>(count), kMost - text.size()));
  }
}

int waitedFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

std::string findProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return isProgram(name) ? name : std::string();
  const char* path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (isProgram(file)) return file;
  }
  return {};
}

CommandResult runCommand(const std::vector<std::string>& command, const std::string& folder) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw SystemError(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  FileActions setup;
  posix_spawn_file_actions_addopen(&setup.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&setup.actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&setup.actions, folder.c_str());
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments.front(), &setup.actions, nullptr, arguments.data(), environ);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    throw SystemError(fmt::format("cannot start {}: {}", command.front(), std::strerror(error)));
  }
  CommandResult result;
  result.output = readAll(ends[0]);
  ::close(ends[0]);
  result.exitCode = waitedFor(child);
  return result;
}

} // namespace nestwright
