#pragma once
/// \file How a record's program came to be, fact by fact, in words.

#include "core/record/rows/record.h"

#include <QString>

#include <string>
#include <vector>

namespace nestwright::ui {

struct TraceFact {
  QString name, value;
  QString meaning;     // for a tool tip
  std::string parent;  // of a parent: its program's identity
  bool isKnob = false; // of a template, and what was chosen for it
};

/// Empty where the record does not tell.
std::vector<TraceFact> traceFacts(const Record& record);

} // namespace nestwright::ui
