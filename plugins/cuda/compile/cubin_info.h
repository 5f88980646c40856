#pragma once
/// \file What a cubin itself tells of its kernels.

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace nestwright::cuda {

struct CubinKernel {
  int registers = 0;
  std::int64_t stackBytes = 0;
  std::int64_t staticSharedBytes = 0; // of a block, without what the system keeps of it
};

/// By the kernel's name, from the section .nv.info and the sizes of others. No byte is trusted:
/// what is no cubin, or one in another form, has no kernels.
std::map<std::string, CubinKernel> kernelsInCubin(std::span<const std::uint8_t> cubin);

} // namespace nestwright::cuda
