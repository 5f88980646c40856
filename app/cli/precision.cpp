#include "app/cli/precision.h"

#include "core/network/graph/spec.h"
#include "core/network/pass/passes.h"
#include "core/support/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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

} // namespace nestwright::cli
