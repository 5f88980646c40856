#include "core/record/query/quick_count.h"

#include "core/record/rows/record_filter.h"

#include <algorithm>

namespace nestwright {

bool countsWithoutReading(const RecordFilter& filter) {
  return std::all_of(filter.conditions.begin(), filter.conditions.end(),
                     [](const FilterCondition& condition) {
                       switch (condition.field) {
                       case FilterField::Task:
                       case FilterField::Network:
                       case FilterField::Target:
                       case FilterField::Session:
                       case FilterField::Weight:
                       case FilterField::Error:
                         return true;
                       case FilterField::Latency:
                         return !condition.negated;
                       default:
                         return false;
                       }
                     });
}

} // namespace nestwright
