#pragma once
/// \file Which record stands in which row of a list whose order is still being made: the first rows
/// are known by key before that, others by a guess.

#include "core/record/query/record_ranks.h"

#include <map>
#include <memory>
#include <span>
#include <vector>

namespace nestwright {

/// Rows count from 0; a record that is not known is 0.
class RecordSequence {
 public:
  using Ranks = std::shared_ptr<const RecordRanks>;

  /// The rows after those that are known by key.
  void append(std::span<const std::int64_t> records);
  /// The rows from `first` on, if there are so many, until it is known.
  void guess(std::int64_t first, std::int64_t count, std::span<const std::int64_t> records);
  /// In place of all that: each row is exactly at its rank from now on.
  void setRanks(Ranks ranks);
  /// Null until they are known.
  const Ranks& ranks() const { return ranks_; }

  /// The rows that are known by key; none when ranks are.
  const std::vector<std::int64_t>& head() const { return head_; }
  std::int64_t at(std::int64_t row) const;
  /// -1 when it is not among the rows that are known for sure.
  std::int64_t rowOf(std::int64_t record) const;
  /// Whether somebody guessed at the row and found that there is none.
  bool isVoid(std::int64_t row) const;
  /// Whether the ranks begin with the rows that are known by key.
  bool beginsAlike(const RecordRanks& ranks) const;

 private:
  Ranks ranks_;
  std::vector<std::int64_t> head_;
  std::map<std::int64_t, std::int64_t> guesses_;
};

} // namespace nestwright
