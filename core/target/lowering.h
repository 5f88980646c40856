#pragma once
/// \file How much a processor's compiler may do to a program on its own.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// What is done to a program's loops beside what its schedule says.
enum class Lowering : std::uint8_t {
  /// All that makes it faster: accumulators tiled into registers, constants packed, guards peeled.
  /// On products and convolutions the programs of a space then come close to one another.
  Full,
  /// Nothing, but LLVM's own vectorisers: as the papers' code generators do it, so that search
  /// methods have the room to differ that they had there.
  Plain,
  /// As Plain, but the second operand of a product is stored in the order in which the program
  /// reads it, before anything is timed: as the public code measures with its layout rewriting,
  /// which records of its CPU targets were made with.
  PlainPacked
};
inline bool isPlain(Lowering lowering) {
  return lowering != Lowering::Full;
}

/// "full", "plain", "plain-packed".
const char* name(Lowering lowering);
std::vector<std::string> loweringNames();
/// Throws InputError that lists the names.
Lowering loweringFromName(std::string_view name);

} // namespace nestwright
