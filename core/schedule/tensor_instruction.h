#pragma once
/// \file The matrix products that a warp of a GPU makes with one instruction (mma.sync): their
/// sizes, and which lane holds which element (handbook/cuda.md 10).

#include "core/schedule/step.h"
#include "core/tensor/dtype.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace nestwright {

/// sums[m, n] += a[m, k] * b[k, n], in which every lane of a warp holds a share of each matrix.
/// Products and sums are float32.
struct TensorInstruction {
  std::string_view name; // "mma_m16n8k16_bf16", as records have it
  DataType input;        // of a and b in memory
  int m = 0, n = 0, k = 0;
};

/// What the pragma that names a stage's instruction begins with.
inline constexpr std::string_view kTensorInstructionPragma = "tensor_instruction$";

/// All that there are; each needs sm_80.
std::span<const TensorInstruction> tensorInstructions();
/// Null when there is none of this name.
const TensorInstruction* tensorInstruction(std::string_view name);

/// The first one that the steps name, or null.
const TensorInstruction* tensorInstructionOf(const Steps& steps);

/// The matrices of a product.
enum class TensorOperand : std::uint8_t { A, B, Sums };

/// Elements of a matrix that each lane holds: its fragment.
int fragmentElements(const TensorInstruction& instruction, TensorOperand operand);

/// The threads that work together.
inline constexpr int kLanes = 32;

struct TileElement {
  int row = 0, column = 0;
};
/// Where in its matrix an element of a lane's fragment lies. Two elements of 16 bits, or one of 32,
/// make a register.
TileElement fragmentElement(const TensorInstruction& instruction, TensorOperand operand, int lane,
                            int element);

} // namespace nestwright
