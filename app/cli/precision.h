#pragma once
/// \file --precision: networks and operators whose products are of bfloat16.

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace nestwright::cli {

/// Adds --precision: "float32", as a network has it, or "bf16".
void addPrecision(CLI::App& verb, std::string& precision);

/// The text of a network, of a task of one or of an operator with this precision:
/// `resnet50:bf16=1`. Throws UsageError for a file with a compute DAG, which says its types itself.
std::string withPrecision(const std::string& subject, const std::string& precision);

} // namespace nestwright::cli
