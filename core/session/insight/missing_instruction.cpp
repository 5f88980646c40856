#include "core/session/insight/missing_instruction.h"

#include "core/target/dot_products.h"
#include "core/tensor/dot_factors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright {

std::string missingInstruction(const std::vector<Subject>& subjects, const TargetFacts& target) {
  if (target.gpu) return {};
  const DotProducts dots = dotProductsOf(target);
  bool hasFloats = false, hasBytes = false;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks)
      for (const Op& op : task.dag.ops()) {
        if (!op->isCompute() || op->reducer != Reducer::Sum || !dotFactors(op->body)) continue;
        (op->output->type.isFloat() ? hasFloats : hasBytes) = true;
      }
  std::vector<std::string> lacking;
  if (hasFloats && dots.atOnce(true) < 2)
    lacking.emplace_back("bfloat16 (avx512_bf16): they widen these to 32 bits, which is right, and "
                         "no faster than float32");
  if (hasBytes && dots.atOnce(false) < 4)
    lacking.push_back(fmt::format(
        "8 bits (avx512_vnni): they widen these to {}",
        dots.atOnce(false) > 0 ? "16 bits, which is right, and at best half as fast as with it"
                               : "32 bits, which is right, and no faster than int32"));
  if (lacking.empty()) return {};
  return fmt::format("programs for this target do not use an instruction for products of {}",
                     fmt::join(lacking, "; nor of "));
}

} // namespace nestwright
