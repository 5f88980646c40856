#include "core/record/sql/file_holders.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace nestwright {

namespace {

constexpr std::size_t kCommandBytes = 120;
/// Where SQLite locks for writing: in the index of the log (section 2.3 of its "WAL-mode File
/// Format"), and in the file itself where there is no log (RESERVED_BYTE).
constexpr std::int64_t kLogWriteLock = 120, kReservedByte = 0x40000001;

/// One line of /proc/locks: "1: POSIX  ADVISORY  WRITE 123 fd:00:456 120 120".
struct Lock {
  pid_t process = 0;
  std::string device; // "fd:00", hexadecimal
  std::uint64_t inode = 0;
  bool write = false;
  std::int64_t first = 0, last = 0;
};

bool parse(const std::string& line, Lock& lock) {
  std::istringstream words(line);
  std::string number, kind, advice, access, file, first, last;
  if (!(words >> number >> kind)) return false;
  if (kind == "->") return false; // somebody who waits
  if (!(words >> advice >> access >> lock.process >> file >> first >> last)) return false;
  const std::size_t colon = file.rfind(':');
  if (kind != "POSIX" || colon == std::string::npos) return false;
  try {
    lock.device = file.substr(0, colon);
    lock.inode = std::stoull(file.substr(colon + 1));
    lock.write = access == "WRITE";
    lock.first = std::stoll(first);
    lock.last = last == "EOF" ? INT64_MAX : std::stoll(last);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

std::uint64_t inodeOf(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? std::uint64_t(status.st_ino) : 0;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string commandOf(pid_t process) {
  std::string command = contents(fmt::format("/proc/{}/cmdline", process));
  while (!command.empty() && command.back() == '\0')
    command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  if (command.size() > kCommandBytes) {
    command.resize(kCommandBytes);
    command += " ...";
  }
  return command;
}

/// Field 22 of proc(5)'s stat: ticks from the start of the machine, whose time is in /proc/stat.
std::int64_t startOf(pid_t process) {
  const std::string stat = contents(fmt::format("/proc/{}/stat", process));
  const std::size_t name = stat.rfind(')'); // may hold blanks and brackets itself
  if (name == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name + 1));
  std::string field;
  constexpr int kStartTime = 22, kAfterName = 3;
  for (int i = kAfterName; i <= kStartTime; ++i)
    if (!(fields >> field)) return 0;
  const std::string machine = contents("/proc/stat");
  const std::size_t boot = machine.find("btime ");
  if (boot == std::string::npos) return 0;
  return std::atoll(machine.c_str() + boot + 6) + std::atoll(field.c_str()) / sysconf(_SC_CLK_TCK);
}

std::string timeText(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time_t(seconds)));
}

} // namespace

std::vector<FileHolder> fileHolders(const std::string& path) {
  const std::uint64_t file = inodeOf(path), index = inodeOf(path + "-shm");
  std::map<pid_t, FileHolder> found;
  std::ifstream locks("/proc/locks");
  std::string line;
  while (std::getline(locks, line)) {
    Lock lock;
    if (!parse(line, lock) || lock.process <= 0) continue;
    // The device is not compared: on file systems in layers stat names another one.
    const bool ofFile = file != 0 && lock.inode == file,
               ofIndex = index != 0 && lock.inode == index;
    if (!ofFile && !ofIndex) continue;
    FileHolder& holder = found[lock.process];
    holder.process = lock.process;
    const std::int64_t writeByte = ofFile ? kReservedByte : kLogWriteLock;
    if (lock.write && lock.first <= writeByte && writeByte <= lock.last) holder.writes = true;
  }
  std::vector<FileHolder> holders;
  for (auto& [process, holder] : found) {
    holder.command = commandOf(process);
    holder.startedAt = startOf(process);
    holders.push_back(std::move(holder));
  }
  std::stable_sort(holders.begin(), holders.end(),
                   [](const FileHolder& a, const FileHolder& b) { return a.writes > b.writes; });
  return holders;
}

bool isHeld(const std::string& path) {
  const std::uint64_t file = inodeOf(path);
  std::ifstream locks("/proc/locks");
  std::string line;
  while (std::getline(locks, line)) {
    Lock lock;
    if (parse(line, lock) && file != 0 && lock.inode == file) return true;
  }
  return false;
}

std::string describe(const FileHolder& holder) {
  if (holder.process == getpid()) return "this program";
  std::string text = fmt::format("process {}", holder.process);
  std::string more = holder.command;
  if (holder.startedAt > 0)
    more += (more.empty() ? "since " : ", since ") + timeText(holder.startedAt);
  return more.empty() ? text : fmt::format("{} ({})", text, more);
}

std::string otherHolders(const std::string& path, bool writersFirst) {
  std::vector<FileHolder> holders = fileHolders(path);
  // Within this process another thread may be the one to wait for.
  if (holders.size() > 1)
    std::erase_if(holders, [](const FileHolder& h) { return h.process == getpid() && !h.writes; });
  if (writersFirst && !holders.empty() && holders.front().writes)
    std::erase_if(holders, [](const FileHolder& holder) { return !holder.writes; });
  std::string text;
  for (const FileHolder& holder : holders)
    text += (text.empty() ? "" : " and ") + describe(holder);
  return text.empty() ? "another program" : text;
}

std::string thisProcessText() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::int64_t start = startOf(getpid());
  return fmt::format("process {} on {}{}: {}", getpid(), host.data(),
                     start > 0 ? " since " + timeText(start) : "", commandOf(getpid()));
}

} // namespace nestwright
