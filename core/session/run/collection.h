#pragma once
/// \file Collecting a data set the TenSet way: random programs of every task of some networks,
/// measured one and all. A collection is a session with the random policy that takes its tasks in
/// turn, as many programs of each; it goes on after any interruption, and its tasks can be divided
/// among machines, whose files are merged (core/record/care/merge_files.h). Which programs are
/// drawn depends on the seed and the task alone, so the parts together are what one machine had
/// made.

#include "core/session/run/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

class RecordStore;

/// The names of sets of the zoo ("zoo", "zoo_test") replaced by the networks that they stand for.
std::vector<std::string> withSetsSpelledOut(const std::vector<std::string>& subjects);

/// A range of tasks: "0..199" is the first 200 of `tasks`, "7" one; throws UsageError for anything
/// else.
struct TaskRange {
  int first = 0, count = 0;
};
TaskRange parseTaskRange(std::string_view text);
/// "3/8": the third of eight parts of so many tasks that differ by one at most. Throws UsageError.
TaskRange parseShard(std::string_view text, int tasks);

/// What a collection is beside a session: kept in its configuration.
struct CollectionPart {
  std::int64_t programsPerTask = 0;
  /// So many of the subjects' tasks that the next two leave; 0: all.
  TaskRange tasks;
  double maxFlops = 0; // only tasks with fewer operations; 0: all
  /// Networks and sets of them none of whose tasks is wanted, as networkTasks() takes them: those
  /// that models are to be tested on. Tasks are compared by what they compute.
  std::vector<std::string> without = {};
};
/// Nothing for a session that is no collection.
std::optional<CollectionPart> collectionPartFromJson(const nlohmann::json& sessionConfig);

/// The session's settings where a collection leaves no choice.
SessionConfig collectionConfig(SessionConfig config);

/// How many different tasks the subjects have that the part does not leave out, whatever its range.
int countTasks(const std::vector<std::string>& subjects, const CollectionPart& part = {});

/// The collection of just this part of these subjects, on this machine, in the file: the one that
/// is there, with the number of programs that is wanted now, or a new one. `isNew` says which.
/// Throws UsageError for tasks that are not there, or where none is left. `launch` as in
/// createSession().
RowId openCollection(RecordStore& store, const SessionConfig& config, const CollectionPart& part,
                     bool& isNew, const WorkerLaunch& launch = {});

} // namespace nestwright
