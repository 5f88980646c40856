#pragma once
/// \file Which short sums of products a processor makes with one instruction in each lane of a
/// vector (handbook/ansor.md 11.9).

namespace nestwright {

struct TargetFacts;

/// The instructions that there are.
struct DotProducts {
  bool bfloat16 = false; // two products of bfloat16, added to a float32: vdpbf16ps
  bool int8 = false;     // four products of a uint8 and an int8, added to an int32: vpdpbusd
  /// Without them: both factors are widened a vector at a time, bytes to int16, of which two
  /// products are added to an int32 (pmaddwd), and bfloat16 to float32.
  bool widened = false;

  /// How many products of bfloat16 (`floats`), or of bytes, the best of them adds at once; 0 for
  /// none.
  int atOnce(bool floats) const {
    if (floats) return bfloat16 ? 2 : widened ? 1 : 0;
    return int8 ? 4 : widened ? 2 : 0;
  }
};

/// What programs for the target may use. None on a GPU, which has instructions of other kinds
/// (core/schedule/tensor_instruction.h), and none where programs are lowered plainly. Where the
/// instruction set is narrowed down, the last alone.
DotProducts dotProductsOf(const TargetFacts& target);

} // namespace nestwright
