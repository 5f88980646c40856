#pragma once
/// \file Records put together by what they have in common, and how a filter chooses such groups.

#include "core/record/rows/record_filter.h"
#include "core/support/row_id.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class GroupBy : std::uint8_t { Task, Operator, Network, Target, Session, Error, Tag };

inline constexpr std::array kGroupings = {GroupBy::Task,   GroupBy::Operator, GroupBy::Network,
                                          GroupBy::Target, GroupBy::Session,  GroupBy::Error,
                                          GroupBy::Tag};
/// Those with few values, whose counts are shown beside the records.
inline constexpr std::array kFacets = {GroupBy::Operator, GroupBy::Network, GroupBy::Target,
                                       GroupBy::Session,  GroupBy::Error,   GroupBy::Tag};

/// "operator": as people write it.
const char* name(GroupBy by);
/// The inverse; throws UsageError.
GroupBy groupByNamed(std::string_view name);
/// The field of the filter that chooses among the groups.
FilterField fieldOf(GroupBy by);

/// Records with something in common.
struct RecordGroup {
  RowId id = 0;     // of the task, target or session; otherwise 0
  std::string name; // for people: "Conv", "resnet18", "run error"
  std::string more; // what else tells it: of a task its network and target; may be empty
  std::vector<FilterCondition> conditions; // which exactly its records meet
  std::int64_t records = 0, errors = 0;
  double best = std::numeric_limits<double>::infinity(); // seconds; infinity when none has a time
  RowId bestRecord = 0, bestTask = 0;
  std::optional<double> median; // seconds, when it was asked for and some have a time
};

/// What is to be known of the groups; each costs more than the one before.
enum class GroupDetail : std::uint8_t {
  Counts, // records and errors
  Best,   // from the index by speed, where no condition is about single records
  Median  // reads every time
};

struct RecordFacet {
  GroupBy by = GroupBy::Operator;
  std::vector<RecordGroup> groups; // with records, or named by the filter; the largest first
};

/// The first word of a task's name: "Conv" of "Conv 3x3 64->64 on 56x56 + Relu".
std::string_view operatorOf(std::string_view taskName);

// --- how a filter stands to a group, told by the group's condition

enum class GroupChoice : std::uint8_t { Open, Chosen, Excluded };
GroupChoice choiceOf(const RecordFilter& filter, const FilterCondition& group);
/// The filter after a click: an open group is chosen beside those that are, a chosen or excluded
/// one is open again. `exclude`: its records are kept out, or let in again.
RecordFilter toggled(const RecordFilter& filter, const FilterCondition& group, bool exclude);
/// The filter without the conditions that choose among these groups, so that each can be counted
/// as if it were chosen.
RecordFilter without(const RecordFilter& filter, GroupBy by);
/// The filter that lists the group alone: its conditions in place of those about the same fields.
RecordFilter only(const RecordFilter& filter, const RecordGroup& group);

} // namespace nestwright
