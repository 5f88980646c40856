#pragma once
/// \file A library as an operator of PyTorch: the end of its Python module.

#include "core/deploy/library.h"

#include <string>

namespace nestwright {

/// The Python code that defines torch.ops.NAME.run, and torch.ops.NAME.pack_INPUT for inputs that
/// may be packed, with torch.library: from PyTorch 1.13 on, with a fake kernel where PyTorch has
/// these. It follows the code of pythonText(), which runs it.
std::string torchText(const Library& library);

} // namespace nestwright
