#pragma once
/// \file The texts of a library, each a function of the library alone: its interface, the C code
/// around the kernels, an example, a module for Python, and what build systems read.

#include "core/deploy/library.h"
#include "core/deploy/weights.h"

#include <string>

namespace nestwright {

/// What a library's files may be used for, in sentences; every one that people read has them.
const char* outputLicence();
/// The same of a file that stands alone.
const char* emittedLicence();

/// NAME.h: C11, also C++.
std::string headerText(const Library& library);
/// The C code of the interface's functions, which is compiled into the library: error texts, the
/// choice of the variant, memory, and the kernels in their order. `sums` are those of the weights.
std::string glueText(const Library& library, const WeightsSums& sums);
/// What the linker lets out of the shared library: a version script.
std::string exportsText(const Library& library);
/// main.c: runs it on files or made-up values and tells the time.
std::string exampleText(const Library& library);
/// NAME.py: the same for NumPy and PyTorch, by ctypes.
std::string pythonText(const Library& library);
/// The same of a library for a GPU: for arrays of whatever has __cuda_array_interface__.
std::string cudaPythonText(const Library& library);
/// NAME-config.cmake, with the targets NAME::NAME and NAME::static.
std::string cmakeText(const Library& library);
/// NAME.pc
std::string pkgConfigText(const Library& library);

/// "const float *a, const float *b, float *c": the tensors as parameters.
std::string tensorParameters(const Library& library);

} // namespace nestwright
