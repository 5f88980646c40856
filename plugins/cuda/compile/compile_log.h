#pragma once
/// \file What the assembler tells of each kernel in NVRTC's log. Spills stand nowhere else.

#include "core/backend/kernel_artifact.h"

#include <map>
#include <string>

namespace nestwright::cuda {

/// By the kernel's name: registers, spills, stack, static shared memory and barriers. A log in
/// another form gives fewer kernels or none; the form is the same from version 11 to 13.
std::map<std::string, KernelResources> resourcesInLog(const std::string& log);

} // namespace nestwright::cuda
