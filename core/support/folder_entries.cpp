#include "core/support/folder_entries.h"

#include <algorithm>
#include <system_error>

namespace nestwright {

namespace fs = std::filesystem;

std::vector<fs::path> entriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::ranges::sort(entries);
  return entries;
}

} // namespace nestwright
