#pragma once
/// \file What came to the records of a query since their ranks were asked before.

#include "core/record/query/record_ranks.h"

#include <cstdint>

namespace nestwright {

/// Whether nothing changed, or where what is new stands, if that is one place; -1 otherwise.
struct RankChange {
  bool same = false;
  std::int64_t place = -1, count = 0;
};
/// Of the same query, `now` after `before`.
RankChange changeOf(const RecordRanks& before, const RecordRanks& now);

} // namespace nestwright
