#pragma once
/// \file Generated code that knows which line of the loop IR each of its lines came from, and how
/// often it runs.

#include "core/backend/backend.h"
#include "core/lower/ir_lines.h"

#include <string>
#include <vector>

namespace nestwright {

/// Code as text, with its lines traced back.
struct LinkedCode {
  std::vector<std::string> lines;
  std::vector<int> irLine; // of each line: index into irLines(), or -1
};

/// Takes the marks out of what Backend::text() gives with CompileOptions::marks: `.loc` directives
/// of assembly and PTX, `!dbg` of LLVM IR, `#line` of CUDA C, comments of SASS. Marks name lines of
/// print(function), counted from 1.
LinkedCode linkCode(const std::string& marked, CodeForm form);

/// What is known of the cost of each line of the loop IR.
struct IrCost {
  /// Estimated share of the instructions that are executed which came from this line: how many
  /// there are, times the extents of the loops around them. Zero for a line without instructions.
  std::vector<double> share;
  std::vector<int> instructions; // that came from this line
  int hottestLoop = -1;          // the innermost loop with the largest share of all inside it
};
IrCost costOf(const LinkedCode& assembly, const std::vector<IrLine>& ir);

/// What counts of a line of code in a comparison: numbers of labels, blocks, values and metadata
/// are left out, because they follow from what stands before them, and comments are.
std::string codeKey(const std::string& line, CodeForm form);

/// Whether the line of assembly is an instruction: no label, directive, comment or empty line.
bool isInstruction(const std::string& line);

} // namespace nestwright
