#include "core/schedule/tensor_instruction.h"

#include "core/support/error.h"

#include <algorithm>
#include <array>

namespace nestwright {

namespace {

constexpr std::array<TensorInstruction, 3> kInstructions{{
    {"mma_m16n8k16_bf16", kBFloat16, 16, 8, 16},
    {"mma_m16n8k16_f16", kFloat16, 16, 8, 16},
    {"mma_m16n8k8_tf32", kFloat32, 16, 8, 8},
}};

} // namespace

std::span<const TensorInstruction> tensorInstructions() {
  return kInstructions;
}

const TensorInstruction* tensorInstruction(std::string_view name) {
  const auto* found =
      std::find_if(kInstructions.begin(), kInstructions.end(),
                   [&](const TensorInstruction& known) { return known.name == name; });
  return found == kInstructions.end() ? nullptr : found;
}

const TensorInstruction* tensorInstructionOf(const Steps& steps) {
  for (const Step& step : steps)
    if (const auto* pragma = std::get_if<PragmaStep>(&step);
        pragma && pragma->pragma.starts_with(kTensorInstructionPragma))
      return tensorInstruction(
          std::string_view(pragma->pragma).substr(kTensorInstructionPragma.size()));
  return nullptr;
}

int fragmentElements(const TensorInstruction& instruction, TensorOperand operand) {
  switch (operand) {
  case TensorOperand::A:
    return instruction.m * instruction.k / kLanes;
  case TensorOperand::B:
    return instruction.k * instruction.n / kLanes;
  case TensorOperand::Sums:
    return instruction.m * instruction.n / kLanes;
  }
  NW_ASSERT(false, "unknown operand {}", static_cast<int>(operand));
  return 0;
}

// As the PTX ISA draws the fragments of mma.m16n8k16 and mma.m16n8k8.
TileElement fragmentElement(const TensorInstruction& instruction, TensorOperand operand, int lane,
                            int element) {
  const int group = lane / 4, member = lane % 4;
  if (operand == TensorOperand::Sums) return {group + element / 2 * 8, 2 * member + element % 2};
  // Neighbours along k share a register where they have 16 bits.
  const int perRegister = instruction.input.isHalf() ? 2 : 1;
  const int number = element / perRegister;
  const int along = perRegister * member + element % perRegister;
  if (operand == TensorOperand::B) return {along + number * 4 * perRegister, group};
  return {group + number % 2 * 8, along + number / 2 * 4 * perRegister};
}

} // namespace nestwright
