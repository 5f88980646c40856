#pragma once
/// \file What stands on each line of printed loop IR: how code is traced back to its loops.

#include "core/lower/loop_ir.h"

#include <string>
#include <vector>

namespace nestwright {

/// One line of print(function); the first line is the function itself.
struct IrLine {
  Stmt stmt;              // null for the function's own lines
  int loop = -1;          // the line of the innermost loop around it, or of itself for a loop
  int parent = -1;        // the line of the statement around it
  int end = 0;            // behind the last line of what is inside it
  double executions = 1;  // of code that stands here: extents of the loops around it that are not
                          // unrolled (an unrolled loop's code is there `extent` times), and its
                          // own; in a launch by every thread
  bool innermost = false; // a loop without another one inside that is not unrolled
};

/// All lines of print(function), in order.
std::vector<IrLine> irLines(const LoopFunction& function);

/// The same function with every statement a node of its own, so that each has one line: passes may
/// let two places share a statement.
LoopFunction withOwnStatements(const LoopFunction& function);

/// The schedule's name of a loop of the loop IR: passes split "xx.1" into "xx.1" and "xx.1.u".
std::string scheduleName(const std::string& loopVariable);

} // namespace nestwright
