#pragma once
/// \file Which records a cost model learns from and is tested on, as a value: who has it and the
/// files has the same programs in the same parts. It is what `nestwright dataset -o` writes.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// The time of a record.
enum class LabelTime : std::uint8_t {
  Centre, // as the product shows it: MeasureResult::latency(), the median of repeats
  Mean    // the arithmetic mean of all repeats, as the papers have it
};
const char* name(LabelTime time);
/// The inverse; throws UsageError that lists them.
LabelTime labelTimeNamed(std::string_view name);

/// How programs come to be tested on.
enum class SplitKind : std::uint8_t {
  None,        // none are
  WithinTasks, // a share of each task's programs
  ByTask,      // whole tasks, until they have a share of the programs
  ByNetwork,   // every task that one of these networks has, by its definition
  ByTarget     // the programs of one target; the others' are learned from
};
const char* name(SplitKind split);
SplitKind splitKindNamed(std::string_view name);

struct DataChoice {
  // --- which records
  std::vector<std::string> files; // .nwdb
  std::string filter;             // as parseRecordFilter() takes it; empty: all
  /// Id of a target, or a part of it or of its text; empty: the one that there is.
  std::string target;
  bool acrossTargets = false; // several targets are taken, each as a machine of its own
  std::vector<std::string>
      networks;                   // only tasks of these, as networkTasks() takes them; empty: all
  std::vector<std::string> tasks; // only these, by key or name; empty: all
  LabelTime label = LabelTime::Centre;
  bool keepFailures = true; // with label 0
  /// As featureChoice() takes it; empty: those that the model in question reads, or the paper's.
  std::string features;

  // --- what is learned from
  /// Tasks with fewer programs are tested on, where the split says so, and not learned from.
  std::size_t leastPrograms = 48;
  /// So many tasks at most, and so many programs of each; 0: all. A smaller choice with the same
  /// seed is part of a larger one.
  std::size_t drawnTasks = 0, drawnPrograms = 0;
  double validationShare = 0.1; // of the programs learned from; 0: none
  bool validateWholeTasks = false;

  // --- what is tested on
  SplitKind split = SplitKind::None;
  double testShare = 0.1;           // of WithinTasks and ByTask
  std::vector<std::string> holdOut; // networks and sets of them, of ByNetwork
  std::string testTarget;           // of ByTarget, as `target`

  std::uint64_t seed = 0; // of all draws

  friend bool operator==(const DataChoice&, const DataChoice&) = default;
};

nlohmann::json toJson(const DataChoice& choice);
/// Throws InputError that says what is missing or wrong, and for a file of a newer version, naming
/// both.
DataChoice dataChoiceFromJson(const nlohmann::json& json);

/// Throws UsageError when two of its parts do not go together, or one cannot be.
void checkChoice(const DataChoice& choice);

} // namespace nestwright
