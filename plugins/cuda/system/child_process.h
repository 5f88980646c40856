#pragma once
/// \file Running a program and reading what it prints.

#include <string>
#include <vector>

namespace nestwright::cuda {

struct ChildOutput {
  int exitCode = -1; // -1: it could not be started, was ended by a signal, or took too long
  std::string out;
  std::string problem; // why, when exitCode is -1
};

/// Waits for its end, `seconds` at most; its input is empty, its errors go where ours go.
ChildOutput runProgram(const std::vector<std::string>& command, double seconds);

} // namespace nestwright::cuda
