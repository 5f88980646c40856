#pragma once
/// \file Code of a GPU that knows its lines of the loop IR: part of linked_code.h.

#include "core/backend/linked_code.h"

#include <string_view>

namespace nestwright {

LinkedCode linkCudaC(std::string_view marked);
LinkedCode linkPtx(std::string_view marked);
LinkedCode linkSass(std::string_view marked);

/// As codeKey(): without comments, places, and numbers of registers and labels.
std::string gpuCodeKey(const std::string& line, CodeForm form);

} // namespace nestwright
