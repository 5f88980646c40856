#include "core/record/rows/record_query.h"

#include <algorithm>

namespace nestwright {

void OtherMarks::apply(Record& record) const {
  if (std::ranges::binary_search(forgotten, record.id)) record.forgotten = !record.forgotten;
  if (std::ranges::binary_search(best, record.id)) record.best = !record.best;
}

} // namespace nestwright
