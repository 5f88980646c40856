#pragma once
/// \file What a session remembers of earlier ones (SessionConfig::memory; handbook/ansor.md 4.8):
/// programs that its search begins with, and records that teach its cost model. It is looked up
/// when the session is made and stored with it, so that the session decides the same whatever the
/// files learn later (C35).

#include "core/search/refit.h"
#include "core/session/run/memory/known_programs.h"
#include "core/session/run/session.h"
#include "core/session/run/subject.h"
#include "core/session/run/tuning_state.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// Programs that are kept of a task, at most, by source: of the same task one is measured and the
/// others are parents, since their times are known.
inline constexpr std::size_t kMostOfSameTask = 4, kMostOfSameMachine = 2, kMostOfKind = 6,
                             kMostOfOtherTarget = 2;
/// Tasks of the same kind that are looked at, the nearest, and programs of each.
inline constexpr std::size_t kNearestOfKind = 4, kProgramsOfEach = 2;
/// A round measures one remembered program of this many at most.
inline constexpr int kRoundsShare = 4;
/// Records that teach a cost model, at most: of a task by source, and of all tasks together.
inline constexpr std::size_t kTaughtBySameTask = 512, kTaughtBySameMachine = 256,
                             kTaughtByKind = 128, kTaughtInAll = 4096;
/// With fewer no model begins as a trained one.
inline constexpr std::size_t kLeastTaught = 32;

/// A program as it is offered to a task.
struct RememberedProgram {
  MemorySource source = MemorySource::SameTask;
  std::string file; // of its record
  RowId record = 0;
  std::string fromTask, fromTarget; // their names, for people
  std::string parent;               // programId of the record
  double seconds = 0;               // of the record
  double distance = 0;              // extentDistance()
  Steps steps;                      // re-fitted
  std::string program;              // programId of those
  std::vector<RefittedSplit> splits;
  bool isMeasured = true;      // or a parent alone
  std::int64_t measuredAt = 0; // of the record; microseconds since the epoch
};
/// "record 18231 of conv2d 28x28, 1.2 ms (a task of the same kind on this target): x of C, 14 to 7:
/// 2 · 4 becomes 1 · 7".
std::string reasonText(const RememberedProgram& program);

/// One that the task cannot take.
struct UnfitProgram {
  MemorySource source = MemorySource::SameTask;
  std::string file, fromTask;
  RowId record = 0;
  std::string why; // a clause
};

/// Of one task of the session.
struct TaskRecall {
  std::string task, name;                  // workloadKey(), and for people
  std::vector<RememberedProgram> programs; // in the order in which they are offered
  std::vector<UnfitProgram> unfit;
  /// "known" when the same task is, "similar" when another source gives something, "unknown".
  const char* standing() const;
};

struct SessionMemory {
  std::vector<TaskRecall> tasks; // each once, in the session's order
  std::size_t taught = 0;        // programs that the cost model learned from
  std::string model;             // CostModel::save() of that, empty where there is none
  /// Of the task; null where it is none of them.
  const TaskRecall* of(const std::string& task) const;
};

/// Of the files that the settings name; empty where they name none. `own` is the session's file.
/// The model is made where the session's policy learns one and begins with none. Throws InputError
/// for a file that cannot be read.
SessionMemory recall(const SessionConfig& config, const std::vector<Subject>& subjects,
                     const TargetFacts& target, const std::string& own);

/// Puts what is offered to the task into its state. Programs of `own` keep the number of their
/// record.
void remember(const TaskRecall& recall, const std::string& own, TaskMemory& memory);

/// All of it but the model, for other programs.
nlohmann::json toJson(const SessionMemory& memory);

/// Throws UsageError for "off" beside files.
void checkMemory(const SessionConfig& config);

} // namespace nestwright
