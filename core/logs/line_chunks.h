#pragma once
/// \file A log cut into pieces of whole lines, to be parsed on several threads.

#include "core/logs/byte_source.h"
#include "core/logs/line_parser.h"

#include <memory>
#include <string>
#include <vector>

namespace nestwright {

/// Some whole lines. The last line of a file may lack its end.
struct LineChunk {
  std::string bytes;             // with kLinePadding more behind them than `size`
  std::size_t size = 0;          //
  std::int64_t offset = 0;       // of the first byte in the unpacked file
  std::int64_t firstLine = 1;    // its number
  std::int64_t endOffset = 0;    // where the next chunk begins
  std::int64_t filePosition = 0; // bytes of the file itself that were read for it
  bool tooLong = false;          // one line that is too long to be read; `bytes` lacks it
};

class LineChunks {
 public:
  /// Begins at a byte that is the first of line `line`. Throws InputError as openBytes and when the
  /// file is shorter.
  LineChunks(const std::string& path, std::int64_t offset, std::int64_t line);
  /// The next piece; false at the end. Throws InputError when the rest cannot be read.
  bool next(LineChunk& chunk);

 private:
  void fill(std::size_t size);
  void endLine();
  bool skipLongLine(LineChunk& chunk);

  std::unique_ptr<ByteSource> source_;
  std::string rest_; // read, and not handed out yet
  bool ended_ = false;
  std::string failure_; // why no more can be read
  std::int64_t offset_ = 0, line_ = 1;
};

/// What the lines of a chunk gave.
struct ParsedChunk {
  LogBatch batch;
  std::vector<LineProblem> problems;
  std::int64_t lines = 0, comments = 0, broken = 0;
  std::int64_t endOffset = 0;
  std::int64_t filePosition = 0;
};

/// A last line without an end may be one that is still being written: when it is broken it is
/// counted, but `endOffset` is its beginning; when it is a comment it is not even counted.
ParsedChunk parseChunk(LineParser& parser, const LineChunk& chunk);

} // namespace nestwright
