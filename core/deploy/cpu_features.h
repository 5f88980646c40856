#pragma once
/// \file Which features of an x86 processor a library needs, and how its code asks for them.

#include "core/target/target.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// Where CPUID tells of a feature (Intel 64 and IA-32 Architectures Software Developer's Manual,
/// volume 2, CPUID).
struct CpuFeature {
  const char* name; // as the operating system calls it: "avx512f"
  std::uint32_t leaf = 0, subleaf = 0;
  int word = 0; // eax, ebx, ecx, edx
  int bit = 0;
  /// What the operating system must save for it, bits of XCR0: 6 with vectors of 32 bytes, 0xe6
  /// with 64.
  std::uint32_t state = 0;
};

/// The first level of x86-64 that has it, 2 to 4; 5 where none has.
int levelOf(const CpuFeature& feature);

/// Those that code for the target may use: of the set, or of the machine where that is native.
/// Throws InputError for a machine of another family, which no library is written for.
std::vector<CpuFeature> neededCpuFeatures(const TargetFacts& target);

} // namespace nestwright
