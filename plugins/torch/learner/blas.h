#pragma once
/// \file Who computes matrix products for libtorch. Debian is content with the reference BLAS,
/// which is fifteen times slower than the others, and with an OpenBLAS that gives wrong products
/// when several threads ask it at once (handbook/stack.md 17).

#include <string>

namespace nestwright::learner {

/// "OpenBLAS SkylakeX", or the file that it is in. Throws SystemError, which names the package to
/// install, for the reference and for the OpenBLAS without locks.
std::string requireFastBlas();

} // namespace nestwright::learner
