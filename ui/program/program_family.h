#pragma once
/// \file A program with its ancestors.

#include "core/session/crossing/ancestry.h"
#include "ui/program/nest_pane.h"

#include <string>
#include <vector>

namespace nestwright::ui {

/// A program with its family, as the details show it.
struct FamilyData {
  std::vector<Ancestor> family; // the program first
  NestText nest, parentNest;    // the latter of its first parent, if it has one
};
FamilyData readFamily(const RecordStore& store, RowId session, RowId task,
                      const std::string& program, int round);

} // namespace nestwright::ui
