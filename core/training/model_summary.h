#pragma once
/// \file What a trained model's file says, for people and other programs.

#include "core/dataset/model_file.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace nestwright {

struct ModelSummary {
  ModelFile file;
  /// Numbers that a network learned, of trees their number.
  std::size_t parameters = 0;
  /// Hash of what was learned alone, without how long that took: equal for equal models.
  std::string weightsHash;
  /// Why it cannot be used here, a sentence: the plugin is missing, or the model's library is
  /// another; empty when it can.
  std::string problem;
};

/// Looks into the model's bytes, which may need its plugin, but never the learner.
ModelSummary summaryOf(const ModelFile& file);

/// All of it but the bytes.
nlohmann::json toJson(const ModelSummary& summary);

} // namespace nestwright
