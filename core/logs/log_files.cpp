#include "core/logs/log_files.h"

#include "core/logs/byte_source.h"
#include "core/logs/line_chunks.h"
#include "core/support/error.h"
#include "core/support/hash.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = 4096;
/// A log shows itself within as many lines that are no comments.
constexpr int kLinesToJudge = 5;

/// The first bytes, as far as they can be read.
std::string readHead(const std::string& path, std::size_t size) {
  const std::unique_ptr<ByteSource> source = openBytes(path);
  std::string head(size, '\0');
  std::size_t filled = 0;
  try {
    for (std::size_t count = 1; count > 0 && filled < size; filled += count)
      count = source->read(head.data() + filled, size - filled);
  } catch (const InputError&) {
    // Whoever reads the whole file meets this again and tells it.
  }
  head.resize(filled);
  return head;
}

/// Empty for a log, else why it is none.
std::string whyNoLog(const std::string& path) {
  constexpr std::size_t kEnough = 1 << 20;
  std::string head;
  try {
    head = readHead(path, kEnough);
  } catch (const InputError& error) {
    return error.what();
  }
  const std::size_t size = head.size();
  head.append(kLinePadding, '\0');
  const std::string_view text(head.data(), size);
  LineParser parser;
  LogBatch batch;
  std::string first;
  int judged = 0;
  for (std::size_t begin = 0; begin < text.size() && judged < kLinesToJudge;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string reason;
    const LineKind kind = parser.parse(text.substr(begin, end - begin), batch, reason);
    if (kind == LineKind::Record) return {};
    if (kind == LineKind::Broken && ++judged == 1) first = reason;
    begin = end + 1;
  }
  return judged == 0 ? "it is empty" : "its first lines are no records: " + first;
}

void takeFolder(const fs::path& folder, LogFiles& files, std::set<std::string>& seen) {
  std::vector<fs::path> paths;
  const auto options = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(folder, options))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    if (!seen.insert(path.string()).second) continue;
    const std::string reason = whyNoLog(path.string());
    if (reason.empty())
      files.logs.push_back({path.string(), std::int64_t(fs::file_size(path))});
    else
      files.others.push_back({path.string(), reason});
  }
}

} // namespace

LogFiles findLogs(const std::vector<std::string>& inputs) {
  LogFiles files;
  std::set<std::string> seen;
  for (const std::string& input : inputs) {
    std::error_code error;
    const fs::path path = fs::canonical(input, error);
    if (error) throw InputError(fmt::format("{}: cannot be read: {}", input, error.message()));
    try {
      if (fs::is_directory(path))
        takeFolder(path, files, seen);
      else if (seen.insert(path.string()).second)
        files.logs.push_back({path.string(), std::int64_t(fs::file_size(path))});
    } catch (const fs::filesystem_error& problem) {
      throw InputError(fmt::format("{}: cannot be read: {}", input, problem.code().message()));
    }
  }
  return files;
}

std::uint64_t headHash(const std::string& path, std::int64_t bytes) {
  return hash64(readHead(path, std::size_t(std::max<std::int64_t>(bytes, 0))));
}

std::int64_t headSize(const std::string& path) {
  return std::int64_t(readHead(path, kHead).size());
}

} // namespace nestwright
