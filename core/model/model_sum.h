#pragma once
/// \file Models whose scores are added up, and what of a sum can be told: scores, parts of rows,
/// explanations.

#include "core/model/cost_model.h"

#include <span>

namespace nestwright {

/// A model's scores, times the factor, plus the offset.
struct ModelTerm {
  const CostModel* model = nullptr;
  double factor = 1, offset = 0;
};

/// Scores of rows are there where all terms have them. A program that one of the terms knows
/// nothing of is unknown. Nothing is said of how sure the sum is.
Prediction predictSum(std::span<const ModelTerm> terms, const FeatureTable& batch);
/// Contributions and biases of the terms, likewise added up; an offset is shared out over the rows.
Explanation explainSum(std::span<const ModelTerm> terms, const FeatureTable& batch,
                       std::size_t program);
/// Means of the shares of those terms that tell any.
std::vector<double> importanceOfSum(std::span<const ModelTerm> terms);
/// Whether some terms tell shares and others none.
bool importanceIsOfSomeTerms(std::span<const ModelTerm> terms);
/// That of the first term that has any: attentions of several networks have no sum.
std::optional<Attention> attentionOfSum(std::span<const ModelTerm> terms, const FeatureTable& batch,
                                        std::size_t program);

} // namespace nestwright
