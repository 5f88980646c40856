#include "core/record/file/generation.h"

#include "core/support/error.h"

#include <sys/random.h>

#include <algorithm>
#include <cstring>

namespace nestwright {

namespace {

constexpr std::string_view kGenerationMark = "NwDb gen";
// Section 4 of SQLite's file format: "The Write-Ahead Log".
constexpr std::size_t kLogHeader = 32, kFrameHeader = 24;
constexpr std::uint32_t kLogMagic = 0x377f0682; // the last bit tells the order of bytes in sums
constexpr std::uint32_t kLogVersion = 3007000;

std::uint32_t number(const char* bytes, std::size_t count = 4) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8 | std::uint8_t(bytes[i]);
  return value;
}

std::uint64_t saltAt(const char* bytes) {
  return std::uint64_t(number(bytes)) << 32 | number(bytes + 4);
}

bool isPageSize(std::uint32_t bytes) {
  return bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) == 0;
}

std::int64_t pageBytesOf(std::string_view header) {
  const std::uint32_t stored = number(header.data() + 16, 2);
  return stored == 1 ? 65536 : stored;
}

/// Whether the file may be the log's by what SQLite's own header says.
bool isPossible(const LogChain& log, std::string_view header) {
  if (log.pages == 0) return true; // SQLite finds nothing to work in
  const std::uint32_t changes = number(header.data() + 24), pages = number(header.data() + 28);
  const bool pagesAreValid = changes == number(header.data() + 92);
  if (pagesAreValid && pages > log.pages) return false; // the log would cut the file off
  if (log.changes.empty()) return true;
  return changes + 1 == log.changes.front() ||
         std::find(log.changes.begin(), log.changes.end(), changes) != log.changes.end();
}

} // namespace

std::string encode(const Generation& generation) {
  std::string bytes(kGenerationMark);
  bytes.append(generation.before.data(), generation.before.size());
  bytes.append(generation.now.data(), generation.now.size());
  return bytes;
}

std::optional<Generation> decodeGeneration(std::string_view bytes) {
  if (bytes.size() != kGenerationBytes || !bytes.starts_with(kGenerationMark)) return std::nullopt;
  Generation generation;
  const char* from = bytes.data() + kGenerationMark.size();
  std::memcpy(generation.before.data(), from, generation.before.size());
  std::memcpy(generation.now.data(), from + generation.before.size(), generation.now.size());
  return generation;
}

Generation nextGeneration(const std::optional<Generation>& current) {
  Generation next;
  if (current) next.before = current->now;
  if (getrandom(next.now.data(), next.now.size(), 0) != ssize_t(next.now.size()))
    throw SystemError("the system gives no random numbers");
  return next;
}

LogChain readLogChain(const ReadAt& log, std::int64_t bytes) {
  LogChain chain;
  chain.bytes = bytes;
  std::array<char, kLogHeader> header{};
  if (!log(0, header.data(), header.size())) return chain;
  const std::uint32_t pageBytes = number(&header[8]);
  if ((number(header.data()) & ~1u) != kLogMagic || number(&header[4]) != kLogVersion ||
      !isPageSize(pageBytes))
    return chain;
  chain.pageBytes = pageBytes;
  chain.salt = saltAt(&header[16]);
  // The end of one frame's page and the header of the next lie side by side.
  std::array<char, kGenerationBytes + kFrameHeader> piece{};
  char* const frame = &piece[kGenerationBytes];
  std::int64_t at = kLogHeader;
  if (!log(at, frame, kFrameHeader)) return chain;
  for (;;) {
    const std::uint32_t page = number(frame), pagesAfter = number(frame + 4);
    if (page == 0 || saltAt(frame + 8) != chain.salt) return chain; // of the time before
    if (page == 1) {
      std::array<char, 4> changes{};
      if (log(at + std::int64_t(kFrameHeader) + 24, changes.data(), changes.size()))
        chain.changes.push_back(number(changes.data()));
    }
    at += std::int64_t(kFrameHeader) + chain.pageBytes;
    const bool more = log(at - std::int64_t(kGenerationBytes), piece.data(), piece.size());
    if (!more && !log(at - std::int64_t(kGenerationBytes), piece.data(), kGenerationBytes))
      return chain; // the frame is cut off
    if (const auto found = decodeGeneration({piece.data(), kGenerationBytes})) {
      if (chain.page == 0) {
        chain.page = page;
        chain.base = found->before;
        chain.all.insert(found->before);
      }
      chain.all.insert(found->now);
    }
    if (pagesAfter != 0) chain.pages = pagesAfter;
    if (!more) return chain;
  }
}

bool belongsTo(const LogChain& log, std::string_view header, const ReadAt& file) {
  if (log.pageBytes == 0) return true; // SQLite will not use it
  if (pageBytesOf(header) != log.pageBytes) return log.pages == 0;
  if (log.page == 0) return isPossible(log, header);
  std::array<char, kGenerationBytes> bytes{};
  const std::int64_t end = std::int64_t(log.page) * log.pageBytes;
  const bool there = file(end - std::int64_t(bytes.size()), bytes.data(), bytes.size());
  const auto own = decodeGeneration({bytes.data(), there ? bytes.size() : 0});
  return own && log.all.contains(own->now);
}

} // namespace nestwright
