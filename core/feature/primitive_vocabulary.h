#pragma once
/// \file The words of schedule primitives as numbers: TLP's dictionaries
/// (handbook/cost-models.md 4.1). A model keeps the vocabulary that it was trained with.

#include "core/schedule/step.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// A kind of step, and the texts that steps of this kind have.
struct PrimitiveKind {
  std::string tag;                // "PR"
  std::vector<std::string> texts; // "auto_unroll_max_step$16"; the first is token 1
  bool operator==(const PrimitiveKind&) const = default;
};

/// A value. What it does not know is no error: models answer for steps that their data never had.
struct PrimitiveVocabulary {
  std::vector<PrimitiveKind> kinds; // in the order of the one-hot

  /// The place of a kind in the one-hot.
  std::optional<std::size_t> place(std::string_view tag) const;
  /// The number of a text of a kind, from 1 on; 0 when it is not known.
  int token(std::size_t place, std::string_view text) const;

  bool operator==(const PrimitiveVocabulary&) const = default;
};

/// TLP's, whose order is that of its data: 11 kinds of steps for processors, or for GPUs.
PrimitiveVocabulary publishedVocabulary(bool gpu);

/// Takes in the kinds and texts that are new to the vocabulary, in their order. What it had keeps
/// its numbers.
void learn(PrimitiveVocabulary& vocabulary, const Steps& steps);

nlohmann::json toJson(const PrimitiveVocabulary& vocabulary);
/// Throws InputError for what is no vocabulary: a tag that no step has, or something twice.
PrimitiveVocabulary primitiveVocabularyFromJson(const nlohmann::json& json);

} // namespace nestwright
