#pragma once
/// \file The function of a library that tvm-ffi calls with tensors of DLPack, as C text.

#include "core/deploy/library.h"

#include <string>
#include <vector>

namespace nestwright {

/// The C code of __tvm_ffi_NAME(self, arguments, count, result), and of one such function for each
/// input that the caller may pack. It stands in an object of its own, beside glueText()'s, and
/// declares by itself what it needs of version 0.1 of tvm-ffi's ABI and of version 1 of DLPack's.
std::string tvmFfiText(const Library& library);

/// The names of these functions.
std::vector<std::string> tvmFfiNames(const Library& library);

} // namespace nestwright
