#include "core/worker/child_process.h"

#include "core/support/error.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

extern char** environ; // NOLINT: POSIX declares it nowhere

namespace nestwright {

namespace {

constexpr std::size_t kKeptErrorBytes = 16 << 10;
constexpr int kChunksAtOnce = 64; // of errors
// One that closed its streams is about to end; one that is not gone by then is killed.
constexpr int kGraceMilliseconds = 500;

void setNonBlocking(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

[[noreturn]] void throwErrno(const std::string& what, int error) {
  throw SystemError(fmt::format("{}: {}", what, std::strerror(error)));
}

std::string nameOf(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

/// The process's environment with `added` in place of variables of the same name.
std::vector<std::string> mergedEnvironment(const std::vector<std::string>& added) {
  std::vector<std::string> merged = added;
  for (char** entry = environ; *entry; ++entry) {
    const auto same = [&](const std::string& variable) {
      return nameOf(variable) == nameOf(*entry);
    };
    if (std::none_of(added.begin(), added.end(), same)) merged.emplace_back(*entry);
  }
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Attributes and file actions of posix_spawn, released with the scope.
struct SpawnSetup {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  SpawnSetup() {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
  }
  ~SpawnSetup() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

} // namespace

std::string inWords(const ProcessEnd& end) {
  if (end.signal == 0) return fmt::format("exit code {}", end.exitCode);
  std::string words = strsignal(end.signal);
  if (!words.empty()) words[0] = static_cast<char>(std::tolower(words[0]));
  return fmt::format("{} (signal {})", words, end.signal);
}

bool killedFromOutside(const ProcessEnd& end) {
  return end.signal == SIGKILL || end.signal == SIGTERM || end.signal == SIGINT ||
         end.signal == SIGHUP || end.signal == SIGQUIT;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment, ChildStreams streams,
                           const std::string& role)
    : role_(role) {
  int input[2], errors[2], output[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0)
    throwErrno(fmt::format("cannot make the channel of a {} process", role_), errno);
  if (pipe2(errors, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(input[0]);
    ::close(input[1]);
    throwErrno(fmt::format("cannot make the error pipe of a {} process", role_), error);
  }
  if (streams == ChildStreams::Apart && pipe2(output, O_CLOEXEC) != 0) {
    const int error = errno;
    for (const int end : {input[0], input[1], errors[0], errors[1]})
      ::close(end);
    throwErrno(fmt::format("cannot make the output pipe of a {} process", role_), error);
  }
  input_ = input[0];
  errors_ = errors[0];
  output_ = streams == ChildStreams::Apart ? output[0] : input[0];
  for (const int end : {input_, output_, errors_})
    setNonBlocking(end);
  const int itsOutput = streams == ChildStreams::Apart ? output[1] : input[1];
  const auto closeItsEnds = [&] {
    ::close(input[1]);
    ::close(errors[1]);
    if (itsOutput != input[1]) ::close(itsOutput);
  };
  try {
    spawn(command, environment, {input[1], itsOutput, errors[1]});
  } catch (...) {
    closeItsEnds();
    close();
    throw;
  }
  closeItsEnds();
}

void ChildProcess::spawn(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment,
                         const std::array<int, 3>& streams) {
  NW_ASSERT(!command.empty(), "the {} command is empty", role_);
  SpawnSetup setup;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&setup.actions, streams[std::size_t(stream)], stream);
  // Whatever this process blocks or ignores is no business of the other's.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  posix_spawnattr_setsigmask(&setup.attributes, &none);
  posix_spawnattr_setsigdefault(&setup.attributes, &all);
  posix_spawnattr_setpgroup(&setup.attributes, 0);
  posix_spawnattr_setflags(&setup.attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = command;
  std::vector<std::string> variables = mergedEnvironment(environment);
  const int error = posix_spawnp(&pid_, words.front().c_str(), &setup.actions, &setup.attributes,
                                 pointers(words).data(), pointers(variables).data());
  if (error != 0) {
    pid_ = -1;
    throwErrno(fmt::format("cannot start the {} '{}'", role_, fmt::join(command, " ")), error);
  }
}

ChildProcess::~ChildProcess() {
  kill();
  close();
}

void ChildProcess::close() {
  if (output_ >= 0 && output_ != input_) ::close(output_);
  if (input_ >= 0) ::close(input_);
  if (errors_ >= 0) ::close(errors_);
  input_ = output_ = errors_ = -1;
}

void ChildProcess::closeInput() {
  flush();
  toWrite_.clear();
  if (input_ >= 0) shutdown(input_, SHUT_WR);
}

void ChildProcess::flush() {
  std::size_t done = 0;
  while (done < toWrite_.size()) {
    const ssize_t sent =
        ::send(input_, toWrite_.data() + done, toWrite_.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) toWrite_.clear(); // it is gone: reading will tell
    if (sent <= 0) break;
    done += static_cast<std::size_t>(sent);
  }
  toWrite_.erase(0, done);
}

std::string_view ChildProcess::read(std::span<char> chunk) {
  while (!ended_) {
    const ssize_t got = ::read(output_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return {};
    if (got > 0) return {chunk.data(), static_cast<std::size_t>(got)};
    ended_ = true;
  }
  return {};
}

void ChildProcess::readErrors() {
  std::array<char, 16 << 10> chunk;
  // One that prints for ever is not to keep us here.
  for (int chunks = 0; chunks < kChunksAtOnce && errors_ >= 0;) {
    const ssize_t got = ::read(errors_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) { // closed: polling it further would spin
      ::close(errors_);
      errors_ = -1;
      return;
    }
    ++chunks;
    printed_.append(chunk.data(), static_cast<std::size_t>(got));
    if (printed_.size() > 2 * kKeptErrorBytes) printed_.erase(0, printed_.size() - kKeptErrorBytes);
  }
}

void ChildProcess::reap(bool wait) {
  if (end_ || pid_ <= 0) return;
  int status = 0;
  pid_t got = 0;
  do {
    got = waitpid(pid_, &status, wait ? 0 : WNOHANG);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return;
  ProcessEnd end;
  if (got < 0)
    end.signal = SIGKILL; // somebody else reaped it: all that is known is that it is gone
  else if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else if (const int code = WEXITSTATUS(status); code > 128 && code <= 128 + SIGRTMAX)
    end.signal = code - 128; // a shell in between (ssh, srun) tells signals so
  else
    end.exitCode = code;
  end_ = end;
}

ProcessEnd ChildProcess::kill() {
  if (!end_ && pid_ > 0) ::kill(-pid_, SIGKILL); // the group: a shell or ssh has children
  reap(true);
  ended_ = true;
  readErrors();
  return end_.value_or(ProcessEnd{});
}

ProcessEnd ChildProcess::end() {
  // Streams close a moment before the process can be waited for.
  for (int i = 0; i < kGraceMilliseconds && !end_; ++i) {
    reap(false);
    if (!end_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return kill();
}

std::string ChildProcess::printed() const {
  std::string tail = printed_.size() > kKeptErrorBytes
                         ? printed_.substr(printed_.size() - kKeptErrorBytes)
                         : printed_;
  tail.erase(tail.find_last_not_of(" \n\t\r") + 1);
  return tail;
}

} // namespace nestwright
