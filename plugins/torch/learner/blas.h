#pragma once
/// \file Who computes matrix products for libtorch. Debian is content with the reference BLAS,
/// which is fifteen times slower than the others (handbook/stack.md 17).

#include <string>

namespace nestwright::learner {

/// "OpenBLAS SkylakeX", or the file that it is in. Throws SystemError for the reference.
std::string requireFastBlas();

} // namespace nestwright::learner
