#include "core/session/schedule/task_mode.h"

#include "core/support/error.h"

#include <iterator>

namespace nestwright {

namespace {

constexpr const char* kModes[] = {"free", "paused", "pinned"};

} // namespace

const char* name(TaskMode mode) {
  return kModes[static_cast<int>(mode)];
}

TaskMode taskModeFromName(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kModes); ++i)
    if (text == kModes[i]) return static_cast<TaskMode>(i);
  throw InputError(
      fmt::format("\"{}\" is no mode of a task; there are free, paused, pinned", text));
}

} // namespace nestwright
