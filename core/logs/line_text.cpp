#include "core/logs/line_text.h"

#include "core/logs/byte_source.h"
#include "core/support/error.h"

#include <algorithm>
#include <vector>

namespace nestwright {

std::string lineText(const std::string& path, std::int64_t offset, std::size_t longest,
                     const std::function<bool()>& goOn) {
  const std::unique_ptr<ByteSource> source = openBytes(path);
  std::vector<char> bytes(1 << 16);
  std::int64_t left = offset; // until the line
  std::string line;
  while (goOn()) {
    const std::size_t read = source->read(bytes.data(), bytes.size());
    if (read == 0 && left > 0)
      throw InputError(
          fmt::format("{}: has no byte {}; it was longer when it was imported", path, offset));
    if (read == 0) break;
    const std::size_t skipped = std::size_t(std::min<std::int64_t>(left, std::int64_t(read)));
    left -= std::int64_t(skipped);
    const char *begin = bytes.data() + skipped, *all = bytes.data() + read;
    const char* end = std::find(begin, all, '\n');
    line.append(begin, end);
    if (end != all || line.size() >= longest) break;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.size() > longest) line.resize(longest);
  return line;
}

} // namespace nestwright
