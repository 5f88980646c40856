#pragma once
/// \file Two programs side by side as aligned lines with their differences marked; made in the
/// background.

#include "core/backend/backend.h"
#include "ui/kit/code_line.h"
#include "ui/program/code/program_code.h"
#include "ui/program/program_text.h"

#include <QString>

#include <vector>

namespace nestwright::ui {

/// Both sides have the same number of lines; gaps fill what only the other side has.
struct DiffText {
  std::vector<CodeLine> a, b;
  QString summary; // "3 lines changed, 1 only in A"

  /// Rows at which a run of differences begins.
  std::vector<int> starts() const;
  bool isSame() const { return starts().empty(); }
};

DiffText diffLoopNests(const ProgramText& a, const ProgramText& b);
DiffText diffStepLists(const ProgramText& a, const ProgramText& b);
DiffText diffLoopIr(const LoweredProgram& a, const LoweredProgram& b);
/// Only what counts (codeKey()) is compared.
DiffText diffCode(const ShownCode& a, const ShownCode& b);

/// Only what differs, with `context` equal lines around it; a line in between says how many were
/// left out.
DiffText onlyDifferences(const DiffText& text, int context = 3);

} // namespace nestwright::ui
