#include "core/session/insight/missing_instruction.h"

#include "core/target/dot_products.h"
#include "core/tensor/dot_factors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright {

namespace {

/// The products that tasks have for which some processors have instructions.
struct NarrowProducts {
  bool floats = false, bytes = false;

  void add(const ComputeDag& dag) {
    for (const Op& op : dag.ops()) {
      if (!op->isCompute() || op->reducer != Reducer::Sum || !dotFactors(op->body)) continue;
      (op->output->type.isFloat() ? floats : bytes) = true;
    }
  }
};

std::string missingInstruction(const NarrowProducts& products, const TargetFacts& target) {
  if (target.gpu) return {};
  const DotProducts dots = dotProductsOf(target);
  std::vector<std::string> lacking;
  if (products.floats && dots.atOnce(true) < 2)
    lacking.emplace_back("bfloat16 (avx512_bf16): they widen these to 32 bits, which is right, and "
                         "no faster than float32");
  if (products.bytes && dots.atOnce(false) < 4)
    lacking.push_back(fmt::format(
        "8 bits (avx512_vnni): they widen these to {}",
        dots.atOnce(false) > 0 ? "16 bits, which is right, and at best half as fast as with it"
                               : "32 bits, which is right, and no faster than int32"));
  if (lacking.empty()) return {};
  return fmt::format("programs for this target do not use an instruction for products of {}",
                     fmt::join(lacking, "; nor of "));
}

} // namespace

std::string missingInstruction(const std::vector<Subject>& subjects, const TargetFacts& target) {
  NarrowProducts products;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks)
      products.add(task.dag);
  return missingInstruction(products, target);
}

std::string missingInstruction(const Partition& partition, const TargetFacts& target) {
  NarrowProducts products;
  for (const Task& task : partition.tasks)
    products.add(task.dag);
  return missingInstruction(products, target);
}

} // namespace nestwright
