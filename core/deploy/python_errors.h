#pragma once
/// \file How a library's Python module tells what its C functions could not do, for processors and
/// for GPUs alike.

#include <string>

namespace nestwright {

/// The class Error and the function _check, of a module that has the library as `_library`; `name`
/// is the library's.
std::string pythonErrors(const std::string& name);

} // namespace nestwright
