#pragma once
/// \file A program with its ancestors, and how each came to be in words.

#include "core/session/crossing/ancestry.h"
#include "ui/program/nest_pane.h"

#include <QString>

#include <string>
#include <vector>

namespace nestwright::ui {

/// What a student reads of it: "a tile size was changed".
QString originInWords(Origin origin);
/// The first digits of a program's name: enough to tell it from others by eye.
QString shortName(const std::string& program);

/// A program with its family, as the details show it.
struct FamilyData {
  std::vector<Ancestor> family; // the program first
  NestText nest, parentNest;    // the latter of its first parent, if it has one
};
FamilyData readFamily(const RecordStore& store, RowId session, RowId task,
                      const std::string& program, int round);

} // namespace nestwright::ui
