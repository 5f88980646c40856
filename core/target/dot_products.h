#pragma once
/// \file Which short sums of products a processor makes with one instruction in each lane of a
/// vector (handbook/ansor.md 11.9).

namespace nestwright {

struct TargetFacts;

/// The instructions that there are.
struct DotProducts {
  bool bfloat16 = false; // two products of bfloat16, added to a float32: vdpbf16ps
  bool int8 = false;     // four products of a uint8 and an int8, added to an int32: vpdpbusd
};

/// What programs for the target may use. None on a GPU, which has instructions of other kinds
/// (core/schedule/tensor_instruction.h), none where programs are lowered plainly, and none where
/// the instruction set is narrowed down.
DotProducts dotProductsOf(const TargetFacts& target);

} // namespace nestwright
