#pragma once
/// \file Lines of program text and how they are coloured: plain values, computed per line, so that
/// a text of any length costs only what is seen of it.

#include "core/support/sequence_diff.h"

#include <QColor>
#include <QSet>
#include <QString>

#include <vector>

namespace nestwright::ui {

enum class CodeLanguage { Text, LoopNest, LoopIr, C, Llvm, Assembly, Cuda, Ptx, Sass };

struct CodeLine {
  QString text;
  int number = -1;  // shown before it; negative: nothing
  int link = -1;    // what it belongs to (a line of the loop IR); -1: nothing
  float share = -1; // of the estimated cost, 0 to 1; negative: no cost is shown
  /// In place of the share's percents: what the line adds to something, or takes away from it.
  QString added;
  bool takesAway = false;
  /// In a comparison: what this side has. A line without text and number is a gap.
  DiffMark mark = DiffMark::Same;
  int changedFrom = 0, changedTo = 0; // characters that differ from the other side
  QString tip;
};

/// A run of characters in one colour.
struct Token {
  int begin = 0, length = 0;
  QColor colour;
  bool bold = false;
};

/// The coloured parts of a line, in order, without overlap. `reductions` names loops that reduce.
std::vector<Token> tokensOf(const QString& line, CodeLanguage language,
                            const QSet<QString>& reductions = {});

/// Lines numbered from 1.
std::vector<CodeLine> codeLines(const std::vector<std::string>& lines);
std::vector<CodeLine> codeLines(const QString& text);

/// Marks the characters that differ between two forms of a line: what is between their common
/// beginning and end.
void markChange(CodeLine& left, CodeLine& right);

} // namespace nestwright::ui
