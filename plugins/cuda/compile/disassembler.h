#pragma once
/// \file Machine code of a cubin as text, by the toolkit's own disassembler.

#include <cstdint>
#include <span>
#include <string>

namespace nestwright::cuda {

/// nvdisasm of the toolkit that this NVRTC belongs to, or of $NESTWRIGHT_NVDISASM; empty when there
/// is none, and `why` says where it was looked for.
std::string findDisassembler(const std::string& nvrtcPath, std::string& why);

/// The code with line numbers where the cubin has them. Throws SystemError when it fails.
std::string disassemble(const std::string& program, std::span<const std::uint8_t> cubin);

} // namespace nestwright::cuda
