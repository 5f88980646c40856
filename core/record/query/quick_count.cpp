#include "core/record/query/quick_count.h"

#include "core/record/rows/record_filter.h"
#include "core/record/select/filter_sql.h"

#include <algorithm>

namespace nestwright {

bool countsWithoutReading(const RecordFilter& filter) {
  return std::all_of(filter.conditions.begin(), filter.conditions.end(),
                     [](const FilterCondition& condition) {
                       return isOfGroup(condition.field) ||
                              (condition.field == FilterField::Latency && !condition.negated);
                     });
}

} // namespace nestwright
