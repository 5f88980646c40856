#pragma once
/// \file What a record file and its write-ahead log are to one another. SQLite takes any log that
/// has the file's name for the file's own. Put a backup in the place of a file that is in use, or
/// that was left behind by a killed program, and the log of the one is worked into the other.
///
/// So every transaction gives the file a new generation, a random number, and notes the one
/// before. They form a chain that runs through the log; the file itself has the one before the
/// log's first, or, where a part of the log was worked in, one of the chain. A file that has
/// another one is not the log's. All this is read without SQLite, which would work the log in.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

using GenerationId = std::array<char, 16>; // zeros: none

/// The value in table `generation`.
struct Generation {
  GenerationId before{}, now{};
};

/// As it is stored: the last bytes of its page.
inline constexpr std::size_t kGenerationBytes = 40;
std::string encode(const Generation& generation);
/// Nothing for other bytes.
std::optional<Generation> decodeGeneration(std::string_view bytes);
/// The next one, after `current`.
Generation nextGeneration(const std::optional<Generation>& current);

/// Reads that many bytes at an offset of a file; false when they are not all there.
using ReadAt = std::function<bool(std::int64_t offset, char* to, std::size_t bytes)>;

/// What is to be known of a write-ahead log.
struct LogChain {
  std::int64_t bytes = 0;
  std::int64_t pageBytes = 0; // 0: nothing in it is valid, and SQLite will not use it
  std::uint64_t salt = 0;     // another one whenever the log begins anew
  std::uint32_t page = 0;     // where the file keeps its generation; 0 when no frame tells
  GenerationId base{};        // of the file that the log was begun on
  std::set<GenerationId> all; // the base and all that followed
  std::uint32_t pages = 0;    // of the file once the log is worked in; 0: no transaction is whole
  std::vector<std::uint32_t> changes; // SQLite's change counter in each frame of page 1
};

/// Reads the frames' headers and the ends of their pages, about 64 bytes in 4 kB.
LogChain readLogChain(const ReadAt& log, std::int64_t bytes);

/// Whether the log was written on this file, of which `header` is the first 100 bytes. Of a log
/// without generations, which other programs write, only the plainly impossible is told.
bool belongsTo(const LogChain& log, std::string_view header, const ReadAt& file);

} // namespace nestwright
