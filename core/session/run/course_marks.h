#pragma once
/// \file What a person should know of when asking whether a session is still improving: where it
/// paused, failed, or was told to look elsewhere (C41).

#include "core/support/row_id.h"

#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// A place in the course of a session. Trials that failed are no marks: they are records.
struct CourseMark {
  enum class Kind : std::uint8_t {
    Pause,   // the session paused, by the user or by itself
    Failure, // the session ended in an error
    Weight,  // the user made a task more or less important, pinned, paused or freed it
  };
  Kind kind = Kind::Pause;
  std::int64_t trials = 0; // made before
  double wallSeconds = 0;  // on the session's own clock, pauses excluded
  RowId task = 0;          // of Weight
  std::string text;        // why, or what it is now: "importance 2", "pinned"
};

/// The session's, oldest first. Events of files from before the place of an event was kept have no
/// mark. Reads these events alone, however many others there are.
std::vector<CourseMark> courseMarks(const RecordStore& store, RowId session);

} // namespace nestwright
