#pragma once
/// \file What becomes of a trained model in the session that begins with it
/// (handbook/cost-models.md 7).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class ModelUpdate : unsigned char {
  None,     // nothing
  Local,    // it stays, and another model learns by how much it is wrong
  FineTune, // it goes on learning
  Retrain,  // a new one learns from scratch beside it
};
/// "none", "local", "fine-tune", "retrain"
const char* name(ModelUpdate update);
std::optional<ModelUpdate> modelUpdateFromName(std::string_view text);
std::vector<std::string> modelUpdateNames();
/// What it does, in a sentence for lists.
const char* purpose(ModelUpdate update);

/// SessionConfig::local
inline constexpr std::string_view kLocalTrees = "trees", kLocalMlp = "mlp";

} // namespace nestwright
