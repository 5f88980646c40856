#include "core/logs/line_chunks.h"

#include "core/support/error.h"
#include "core/support/units.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr std::size_t kChunk = 1 << 20;
constexpr std::size_t kLongestLine = 16 << 20;

} // namespace

LineChunks::LineChunks(const std::string& path, std::int64_t offset, std::int64_t line)
    : source_(openBytes(path)), offset_(offset), line_(line) {
  std::string skipped(kChunk, '\0');
  char last = '\n';
  for (std::int64_t left = offset; left > 0;) {
    const std::size_t count =
        source_->read(skipped.data(), std::size_t(std::min<std::int64_t>(left, kChunk)));
    if (count == 0)
      throw InputError(fmt::format("{}: it is shorter than when it was imported before", path));
    left -= std::int64_t(count);
    last = skipped[count - 1];
  }
  if (last != '\n') endLine();
}

/// What was read before was a whole line without its end: the end is no line of its own.
void LineChunks::endLine() {
  fill(kChunk);
  const std::size_t end = rest_.find('\n');
  if (rest_.find_first_not_of(" \t\r") < end) return; // more than that: a line that is told
  const std::size_t size = end == std::string::npos ? rest_.size() : end + 1;
  rest_.erase(0, size);
  offset_ += std::int64_t(size);
}

/// Reads until there are `size` bytes, or the end.
void LineChunks::fill(std::size_t size) {
  while (rest_.size() < size && !ended_) {
    const std::size_t before = rest_.size();
    rest_.resize(size);
    std::size_t count = 0;
    try {
      count = source_->read(rest_.data() + before, size - before);
    } catch (const InputError& error) {
      failure_ = error.what(); // told when what came before is used up
    }
    rest_.resize(before + count);
    ended_ = count == 0;
  }
}

bool LineChunks::skipLongLine(LineChunk& chunk) {
  chunk.tooLong = true;
  std::size_t end = std::string::npos;
  std::int64_t skipped = 0;
  for (;;) {
    end = rest_.find('\n');
    if (end != std::string::npos || rest_.empty()) break;
    skipped += std::int64_t(rest_.size());
    rest_.clear();
    fill(kChunk);
  }
  if (end != std::string::npos) {
    skipped += std::int64_t(end + 1);
    rest_.erase(0, end + 1);
  }
  offset_ += skipped;
  chunk.endOffset = offset_;
  ++line_;
  return true;
}

bool LineChunks::next(LineChunk& chunk) {
  chunk = {};
  chunk.offset = offset_;
  chunk.firstLine = line_;
  std::size_t want = kChunk;
  fill(want);
  std::size_t end = rest_.rfind('\n');
  while (end == std::string::npos && !ended_ && want < kLongestLine) {
    want *= 2;
    fill(want);
    end = rest_.rfind('\n');
  }
  if (!failure_.empty() && end == std::string::npos) throw InputError(failure_);
  if (rest_.empty()) return false;
  chunk.filePosition = source_->position();
  if (end == std::string::npos && !ended_) return skipLongLine(chunk);
  const std::size_t size = ended_ && failure_.empty() ? rest_.size() : end + 1;
  chunk.size = size;
  std::string bytes = rest_.substr(size);
  bytes.swap(rest_);
  bytes.resize(size);
  chunk.bytes = std::move(bytes);
  line_ += std::count(chunk.bytes.begin(), chunk.bytes.end(), '\n');
  chunk.bytes.append(kLinePadding, '\0');
  offset_ += std::int64_t(size);
  chunk.endOffset = offset_;
  return true;
}

ParsedChunk parseChunk(LineParser& parser, const LineChunk& chunk) {
  ParsedChunk parsed;
  parsed.endOffset = chunk.endOffset;
  parsed.filePosition = chunk.filePosition;
  if (chunk.tooLong) {
    parsed.lines = parsed.broken = 1;
    parsed.problems.push_back(
        {chunk.firstLine, chunk.offset,
         fmt::format("it is longer than {}", formatBytes(double(kLongestLine)))});
    return parsed;
  }
  const std::string_view text(chunk.bytes.data(), chunk.size);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t found = text.find('\n', begin);
    const bool whole = found != std::string_view::npos;
    const std::string_view line = text.substr(begin, whole ? found - begin : found);
    std::string reason;
    const LineKind kind = parser.parse(line, parsed.batch, reason);
    if (kind == LineKind::Comment && !whole) { // the rest of it would be no comment
      parsed.endOffset = chunk.offset + std::int64_t(begin);
      break;
    }
    parsed.comments += kind == LineKind::Comment ? 1 : 0;
    if (kind == LineKind::Broken) {
      ++parsed.broken;
      const std::int64_t offset = chunk.offset + std::int64_t(begin);
      if (!whole) {
        reason += "; the file ends in the middle of it";
        parsed.endOffset = offset;
      }
      parsed.problems.push_back({chunk.firstLine + parsed.lines, offset, std::move(reason)});
    }
    ++parsed.lines;
    begin = whole ? found + 1 : text.size();
  }
  return parsed;
}

} // namespace nestwright
