#pragma once
/// \file What a cost model learns from: programs of tasks, their feature rows, and what measuring
/// them gave. The features and the outcomes each name the program that they are about, so that a
/// shuffled or mixed set is noticed before anything is learned from it (C40).

#include "core/model/feature_table.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Whose features a block of the table holds.
struct FeatureEntry {
  std::size_t task = 0;      // index into DataSet::tasks
  std::string program;       // programId
  std::uint64_t content = 0; // FeatureTable::contentHash when the features were computed
};

/// What measuring a program gave.
struct Outcome {
  std::size_t task = 0;
  std::string program;
  std::size_t machine = 0; // index into DataSet::machines
  double seconds = 0;      // infinity when the program failed
  bool failed() const { return seconds == std::numeric_limits<double>::infinity(); }
};

/// Parallel lists, oldest measurement first.
struct DataSet {
  std::vector<std::string> tasks;    // workload keys
  std::vector<std::string> machines; // target ids
  FeatureTable features;
  std::vector<FeatureEntry> entries;
  std::vector<Outcome> outcomes;
  /// What a model is to give for each program where that is not its throughput, as for a model that
  /// learns by how much another one is wrong; else empty.
  std::vector<float> labels;

  DataSet() = default;
  explicit DataSet(std::size_t columns) : features(columns) {}
  std::size_t size() const { return outcomes.size(); }

  /// Appends one measured program; `seconds` is infinity when it failed. `rows` are its features,
  /// row after row.
  void add(std::string_view task, std::string_view program, std::string_view machine,
           std::span<const float> rows, double seconds);
};

/// The given programs of the set, in the given order.
DataSet select(const DataSet& set, std::span<const std::size_t> programs);

/// Likewise of values that are parallel to a set.
std::vector<float> select(const std::vector<float>& values, std::span<const std::size_t> programs);

/// The best time of each task, in seconds; infinity when all its programs failed. By task index.
std::vector<double> bestSeconds(const DataSet& set);

/// Normalised throughput of each program: its task's best time on its machine divided by its own,
/// in (0, 1]; 0 for a failed one, also when all programs of its task failed (handbook/ansor.md 7.2,
/// where a quirk makes such failures perfect labels).
std::vector<float> normalisedThroughput(const DataSet& set);

/// What a model is to give for each program: the set's labels, or else normalisedThroughput().
std::vector<float> labelsToLearn(const DataSet& set);

/// How many programs of a set are unusable, by reason; all zero for a sound one.
struct DataSetFaults {
  std::size_t programs = 0;       // of the set
  bool lengthsDiffer = false;     // of the parallel lists: nothing else was looked at
  std::size_t foreignProgram = 0; // features of one program beside the result of another
  std::size_t foreignTask = 0;    // likewise for the task, or a task that is not listed
  std::size_t changedRows = 0;    // rows are not those computed for the program named
  std::size_t contradictory = 0;  // an earlier block of the same program has other rows
  std::size_t notFinite = 0;      // a feature is not a finite number
  std::size_t badSeconds = 0;     // zero, negative or not a number
  std::size_t foreignMachine = 0; // measured on a machine other than the first program's
  std::string firstFault;         // where, in words
  bool sound() const;
  /// One sentence with all counts that are not zero.
  std::string text() const;
};

/// Looks at every number once. O(size) with one hash per program.
DataSetFaults findFaults(const DataSet& set);

/// Throws InputError with the counts when the set has faults or (unless `columns` is 0) rows of
/// another width.
void requireSound(const DataSet& set, std::size_t columns = 0);

} // namespace nestwright
