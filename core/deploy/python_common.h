#pragma once
/// \file What a library's Python module has for processors and for GPUs alike.

#include <string>

namespace nestwright {

/// The class Error, the function _check, which tells what a C function could not do, and tuned(),
/// of a module that has the library as `_library`; `name` is the library's.
std::string pythonCommon(const std::string& name);

} // namespace nestwright
