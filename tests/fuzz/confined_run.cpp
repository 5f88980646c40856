#include "tests/fuzz/confined_run.h"

#include "core/support/error.h"
#include "tests/sanitizers/sanitized.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>

extern char** environ;

namespace nestwright::fuzz {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Everything that exec needs, made before fork: afterwards only system calls are safe.
struct Prepared {
  std::vector<std::string> words, variables;
  std::vector<char*> arguments, environment;
  std::string folder, input, out, err;
  rlim_t dataBytes = RLIM_INFINITY;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

Prepared prepare(const Command& command, const fs::path& folder, const Limits& limits) {
  Prepared prepared;
  prepared.words = command.words;
  prepared.variables = command.environment;
  prepared.variables.push_back("HOME=" + folder.string());
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with("HOME=")) prepared.variables.push_back(*variable);
  prepared.folder = folder;
  prepared.input = command.input.empty() ? "/dev/null" : command.input.string();
  prepared.out = folder / "out";
  prepared.err = folder / "err";
  // The machine lives on; what was refused shows as "bad_alloc".
  if (!test::kSanitized) prepared.dataBytes = static_cast<rlim_t>(3 * limits.residentBytes);
  return prepared;
}

/// In the child.
[[noreturn]] void become(const Prepared& prepared) {
  setpgid(0, 0);
  const rlimit data{prepared.dataBytes, prepared.dataBytes}, core{0, 0};
  setrlimit(RLIMIT_DATA, &data);
  setrlimit(RLIMIT_CORE, &core);
  constexpr int kMode = 0644;
  const int in = open(prepared.input.c_str(), O_RDONLY);
  const int out = open(prepared.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
  const int err = open(prepared.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
  constexpr int kNotStarted = 127;
  if (in < 0 || out < 0 || err < 0 || chdir(prepared.folder.c_str()) != 0) _exit(kNotStarted);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int descriptor : {in, out, err})
    close(descriptor);
  execve(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
  _exit(kNotStarted);
}

/// Waits until the process ends, at most until `deadline`; whether it has.
bool waitUntil(int pidfd, Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watched{pidfd, POLLIN, 0};
    const int ready = poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) throw SystemError(fmt::format("cannot wait: {}", std::strerror(errno)));
  }
}

std::string beginning(const fs::path& path, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

} // namespace

std::string shellText(const Command& command) {
  std::string text;
  for (const std::string& variable : command.environment)
    text += variable + " ";
  for (const std::string& word : command.words) {
    const bool plain = word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789-_=./:,+") == std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  if (!command.input.empty()) text += " < " + command.input.string();
  return text;
}

Outcome runConfined(const Command& command, const fs::path& folder, const Limits& limits) {
  Prepared prepared = prepare(command, folder, limits);
  prepared.arguments = pointers(prepared.words);
  prepared.environment = pointers(prepared.variables);
  const Clock::time_point start = Clock::now();
  const pid_t child = fork();
  if (child < 0) throw SystemError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) become(prepared);
  setpgid(child, child); // here too: whoever of the two comes first
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  const auto after = [start](double seconds) {
    return start +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  Outcome outcome;
  bool ended = false;
  if (command.interruptAfter > 0) {
    ended = waitUntil(pidfd, after(command.interruptAfter));
    if (!ended) ::kill(child, SIGINT);
  }
  if (!ended) ended = waitUntil(pidfd, after(command.interruptAfter + limits.seconds));
  outcome.timedOut = !ended;
  ::kill(-child, SIGKILL); // also what it left behind
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  close(pidfd);
  outcome.seconds = secondsSince(start);
  if (WIFEXITED(status)) outcome.exitCode = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  constexpr std::int64_t kKibi = 1024;
  outcome.peakBytes = used.ru_maxrss * kKibi;
  constexpr std::size_t kShown = 16 << 10;
  outcome.printed = beginning(prepared.err, kShown) + beginning(prepared.out, kShown);
  constexpr int kNotStarted = 127;
  if (outcome.exitCode == kNotStarted)
    throw SystemError(fmt::format("cannot start {}", shellText(command)));
  return outcome;
}

std::string faultOf(const Command& command, const Outcome& outcome, const Limits& limits) {
  if (outcome.timedOut) return fmt::format("has not ended after {:.1f} s", outcome.seconds);
  if (outcome.signal != 0 && outcome.signal != command.acceptedSignal)
    return fmt::format("ended by signal {} ({})", outcome.signal, strsignal(outcome.signal));
  constexpr int kHighestExitCode = 2;
  if (outcome.exitCode > kHighestExitCode) return fmt::format("exit code {}", outcome.exitCode);
  if (!test::kSanitized && outcome.peakBytes > limits.residentBytes)
    return fmt::format("took {} MB of memory", outcome.peakBytes >> 20);
  // Our own mistakes, sanitizers' findings, and exceptions of libraries that nobody put in words.
  for (const char* sign :
       {"internal error", "runtime error:", "ERROR: AddressSanitizer", "bad_alloc",
        "nestwright: [json.exception", "nestwright: std::", "nestwright: bad ", "::at", "_M_"})
    if (outcome.printed.find(sign) != std::string::npos) return fmt::format("said \"{}\"", sign);
  return {};
}

} // namespace nestwright::fuzz
