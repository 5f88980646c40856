#include "core/record/format/task_key.h"

#include "core/support/hash.h"

namespace nestwright {

std::string taskKeyHash(std::string_view key) {
  const std::size_t mark = key.rfind('#');
  if (mark != std::string_view::npos && mark + 1 < key.size())
    return std::string(key.substr(mark + 1));
  return hashHex(key);
}

} // namespace nestwright
