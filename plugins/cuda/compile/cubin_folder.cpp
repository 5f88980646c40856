#include "plugins/cuda/compile/cubin_folder.h"

#include "core/support/hash.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace nestwright::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".cubin";
constexpr const char* kDraftSuffix = ".draft";
// Another form of the files needs another one.
constexpr std::uint64_t kMagic = 0x4e57'4355'4249'4e31; // NWCUBIN1
constexpr auto kOldDraft = std::chrono::hours(1);

/// At the start of each file; behind it the three parts.
struct Header {
  std::uint64_t magic = kMagic;
  std::uint64_t hash = 0; // of the key and the parts
  std::array<std::uint64_t, 3> bytes{};
};

std::uint64_t hashOf(const std::string& key, std::string_view parts) {
  return hash64(parts, hash64(key));
}

fs::path fileOf(const std::string& folder, const std::string& key) {
  return fs::path(folder) / (key + kSuffix);
}

} // namespace

std::optional<CubinFolder> CubinFolder::ofPerson() {
  if (const char* chosen = std::getenv("NESTWRIGHT_CUBIN_CACHE"))
    return *chosen ? std::optional(CubinFolder(chosen)) : std::nullopt;
  const char *caches = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (caches && *caches == '/')
    return CubinFolder((fs::path(caches) / "nestwright/cubins").string());
  if (home && *home == '/')
    return CubinFolder((fs::path(home) / ".cache/nestwright/cubins").string());
  return std::nullopt;
}

std::optional<Compiled> CubinFolder::read(const std::string& key) const {
  const fs::path file = fileOf(path_, key);
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string_view parts = std::string_view(bytes).substr(sizeof header);
  // Compared one by one: their sum may be anything in a damaged file.
  std::uint64_t left = parts.size();
  bool fits = header.magic == kMagic;
  for (const std::uint64_t size : header.bytes) {
    fits = fits && size <= left;
    left -= fits ? size : 0;
  }
  if (!fits || left != 0 || header.hash != hashOf(key, parts)) return std::nullopt;
  const char* at = parts.data();
  const auto take = [&](std::size_t part) {
    const std::string_view taken(at, header.bytes[part]);
    at += taken.size();
    return taken;
  };
  Compiled compiled;
  const std::string_view cubin = take(0);
  compiled.cubin.assign(cubin.begin(), cubin.end());
  compiled.ptx = take(1);
  compiled.log = take(2);
  std::error_code ignored; // it was used: others go before it
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return compiled;
}

void CubinFolder::write(const std::string& key, const Compiled& compiled) const {
  std::error_code failure;
  fs::create_directories(path_, failure);
  if (failure) return;
  std::string parts(compiled.cubin.begin(), compiled.cubin.end());
  parts += compiled.ptx;
  parts += compiled.log;
  Header header;
  header.bytes = {compiled.cubin.size(), compiled.ptx.size(), compiled.log.size()};
  header.hash = hashOf(key, parts);
  static std::atomic<int> drafts{0};
  const fs::path draft =
      fs::path(path_) / fmt::format("{}.{}.{}{}", key, getpid(), ++drafts, kDraftSuffix);
  {
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(parts.data(), static_cast<std::streamsize>(parts.size()));
    out.close();
    if (!out) return (void)fs::remove(draft, failure);
  }
  fs::rename(draft, fileOf(path_, key), failure);
  if (failure) return (void)fs::remove(draft, failure);
  // Looking at all files takes some milliseconds: not each time.
  constexpr int kWritesOfSweep = 64;
  static std::atomic<int> writes{0};
  if (writes++ % kWritesOfSweep == 0) sweep();
}

void CubinFolder::sweep() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::int64_t bytes = 0;
  };
  std::vector<Entry> entries;
  std::int64_t total = 0;
  std::error_code failure;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(path_, failure), end; !failure && it != end;
       it.increment(failure)) {
    std::error_code gone; // another process sweeps, too
    const fs::path extension = it->path().extension();
    if (extension != kSuffix && extension != kDraftSuffix) continue;
    Entry entry{it->path(), it->last_write_time(gone), 0};
    entry.bytes = static_cast<std::int64_t>(it->file_size(gone));
    if (gone) continue;
    if (extension == kDraftSuffix) { // of a process that was killed
      if (now - entry.used > kOldDraft) fs::remove(entry.path, gone);
      continue;
    }
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= mostBytes_) return;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.bytes;
  }
}

} // namespace nestwright::cuda
