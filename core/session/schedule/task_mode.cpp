#include "core/session/schedule/task_mode.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<TaskMode, 3> kModes = {{"free", "paused", "pinned"}};

} // namespace

const char* name(TaskMode mode) {
  return kModes.of(mode);
}

TaskMode taskModeFromName(std::string_view text) {
  if (const auto mode = kModes.find(text)) return *mode;
  throw InputError(
      fmt::format("\"{}\" is no mode of a task; there are free, paused, pinned", text));
}

} // namespace nestwright
