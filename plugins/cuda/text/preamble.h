#pragma once
/// \file What stands before every generated kernel.

#include <string>
#include <vector>

namespace nestwright::cuda {

/// Types and functions that generated kernels use, in CUDA C without any #include. All that C++
/// alone cannot say (conversions, shuffles) is in functions of its last part, which tests replace
/// to run kernels on the host.
const std::string& preamble();
/// The parts of it: plain C++, and what only a GPU understands.
const std::string& portablePreamble();
const std::string& devicePreamble();
/// What it defines, each name without its "nw_".
std::vector<std::string> preambleNames();

} // namespace nestwright::cuda
