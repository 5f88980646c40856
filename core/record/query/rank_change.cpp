#include "core/record/query/rank_change.h"

#include "core/support/row_id.h"

#include <algorithm>
#include <vector>

namespace nestwright {

RankChange changeOf(const RecordRanks& before, const RecordRanks& now) {
  // What came since is looked for by its id; when something else changed, the sizes tell.
  constexpr std::int64_t kMostPlaces = 1000;
  const IdSet& members = now.members();
  const std::int64_t grown = now.size() - before.size();
  std::vector<std::int64_t> places;
  for (RowId id = members.next(before.members().last() + 1);
       id <= members.last() && std::int64_t(places.size()) <= kMostPlaces;
       id = members.next(id + 1))
    places.push_back(now.rankOf(id));
  RankChange change;
  change.same = grown == 0 && places.empty();
  if (places.empty() || grown != std::int64_t(places.size())) return change;
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  if (*high - *low + 1 == grown) change.place = *low, change.count = grown;
  return change;
}

} // namespace nestwright
