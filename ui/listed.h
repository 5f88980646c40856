#pragma once
/// \file Which records the filter of the Records panel lets through, as other views ask it: what it
/// does not list is drawn faintly there.

#include "core/record/store.h"

#include <QString>

#include <functional>

namespace nestwright::ui {

struct Listed {
  /// Null while there is no filter, or while its records are not known yet.
  std::function<bool(RowId)> has;
  QString filter; // as it is written
  bool lists(RowId record) const { return !has || has(record); }
};

} // namespace nestwright::ui
