#include "app/cli/precision.h"

#include "core/network/graph/spec.h"
#include "core/network/pass/passes.h"
#include "core/support/error.h"
#include "core/target/dot_products.h"
#include "core/tensor/dot_factors.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright::cli {

void addPrecision(CLI::App& verb, std::string& precision) {
  verb.add_option("--precision", precision,
                  "What products multiply: float32, as the network has it, or bf16, summed in "
                  "float32 (the same as bf16=1 behind the name: resnet50:bf16=1)")
      ->check(CLI::IsMember({"float32", "bf16"}))
      ->capture_default_str();
}

std::string withPrecision(const std::string& subject, const std::string& precision) {
  if (precision != "bf16") return subject;
  if (subject.ends_with(".dag"))
    throw UsageError(fmt::format("{}: a compute DAG says the types of its tensors itself; leave "
                                 "out --precision",
                                 subject));
  const std::size_t hash = subject.rfind('#');
  const std::string text = subject.substr(0, hash);
  const Spec spec = parseSpec(text);
  if (spec.parameters.contains(kBFloat16Parameter)) return subject;
  return fmt::format("{}{}{}=1{}", text, spec.parameters.empty() ? ":" : ",", kBFloat16Parameter,
                     hash == std::string::npos ? "" : subject.substr(hash));
}

std::string missingInstructionNote(const std::vector<Subject>& subjects,
                                   const TargetFacts& target) {
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
    lacking.push_back(fmt::format("8 bits (avx512_vnni): they widen these to {}",
                                  dots.atOnce(false) > 0
                                      ? "16 bits, which is right, and half as fast at best"
                                      : "32 bits, which is right, and no faster than int32"));
  if (lacking.empty()) return {};
  return fmt::format("programs for this target do not use an instruction for products of {}",
                     fmt::join(lacking, "; nor of "));
}

} // namespace nestwright::cli
