#pragma once
/// \file Whether the scheduler may choose a task.

#include <cstdint>
#include <string_view>

namespace nestwright {

/// Whether a task takes part in the scheduler's choice.
enum class TaskMode : std::uint8_t {
  Free,   // the scheduler decides
  Paused, // gets no rounds
  Pinned, // gets every round until it is free again; several pinned ones share them
};
/// "free", "paused", "pinned".
const char* name(TaskMode mode);
TaskMode taskModeFromName(std::string_view text);

} // namespace nestwright
