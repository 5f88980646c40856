#pragma once
/// \file Which records the filter of the Records panel lets through, as other views ask it: what it
/// does not list is drawn faintly there.

#include "core/record/rows/record_filter.h"
#include "core/support/row_id.h"

#include <QString>

#include <functional>
#include <vector>

namespace nestwright::ui {

struct FilteredRecords {
  /// Null while there is no filter, or while its records are not known yet.
  std::function<bool(RowId)> has;
  QString filter; // as it is written
  bool lists(RowId record) const { return !has || has(record); }
};

/// That it is one of these records.
inline FilterCondition conditionOf(const std::vector<RowId>& records) {
  FilterCondition condition{FilterField::Record, false, {}};
  for (const RowId record : records) {
    FilterValue value;
    value.low = value.high = static_cast<double>(record);
    condition.values.push_back(value);
  }
  return condition;
}

} // namespace nestwright::ui
