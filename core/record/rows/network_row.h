#pragma once
/// \file A network, as tasks and sessions name it.

#include "core/support/row_id.h"

#include <string>

namespace nestwright {

struct NetworkRow {
  RowId id = 0;
  std::string name; // "resnet18"
  std::string spec; // as given: "resnet18:batch=1,image=224" or a path
};

} // namespace nestwright
