#include "core/model/model_sum.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

/// What of an offset each row of the program gets.
double shareOfRow(double offset, const FeatureTable& batch, std::size_t program) {
  const std::size_t rows = batch.rowCount(program);
  return rows == 0 ? 0 : offset / static_cast<double>(rows);
}

void addRows(const ModelTerm& term, const std::vector<float>& rows, const FeatureTable& batch,
             std::vector<float>& sum) {
  for (std::size_t program = 0; program < batch.programs(); ++program) {
    const double share = shareOfRow(term.offset, batch, program);
    for (std::size_t row = batch.firstRow(program); row < batch.firstRow(program + 1); ++row)
      sum[row] += static_cast<float>(term.factor * static_cast<double>(rows[row]) + share);
  }
}

} // namespace

Prediction predictSum(std::span<const ModelTerm> terms, const FeatureTable& batch) {
  Prediction sum;
  sum.scores.assign(batch.programs(), 0);
  sum.rowScores.assign(batch.rows(), 0);
  bool haveRows = true;
  for (const ModelTerm& term : terms) {
    const Prediction part = term.model->predict(batch);
    for (std::size_t i = 0; i < sum.scores.size(); ++i)
      sum.scores[i] = std::isfinite(part.scores[i]) && std::isfinite(sum.scores[i])
                          ? sum.scores[i] + term.factor * part.scores[i] + term.offset
                          : kUnknownProgram;
    haveRows = haveRows && part.rowScores.size() == batch.rows();
    if (haveRows) addRows(term, part.rowScores, batch, sum.rowScores);
  }
  if (!haveRows) sum.rowScores.clear();
  return sum;
}

Explanation explainSum(std::span<const ModelTerm> terms, const FeatureTable& batch,
                       std::size_t program) {
  Explanation sum;
  sum.columns = batch.columns();
  for (const ModelTerm& term : terms) {
    Explanation part = term.model->explain(batch, program);
    if (!std::isfinite(part.score)) return part;
    sum.score += term.factor * part.score + term.offset;
    sum.contributions.resize(part.contributions.size(), 0);
    sum.bias.resize(part.bias.size(), 0);
    const auto factor = static_cast<float>(term.factor);
    for (std::size_t i = 0; i < part.contributions.size(); ++i)
      sum.contributions[i] += factor * part.contributions[i];
    const auto share = static_cast<float>(shareOfRow(term.offset, batch, program));
    for (std::size_t row = 0; row < part.bias.size(); ++row)
      sum.bias[row] += factor * part.bias[row] + share;
  }
  return sum;
}

std::vector<double> importanceOfSum(std::span<const ModelTerm> terms) {
  std::vector<double> sum;
  double telling = 0;
  for (const ModelTerm& term : terms) {
    const std::vector<double> shares = term.model->importance();
    if (shares.empty()) continue;
    sum.resize(std::max(sum.size(), shares.size()), 0);
    for (std::size_t i = 0; i < shares.size(); ++i)
      sum[i] += shares[i];
    ++telling;
  }
  for (double& share : sum)
    share /= telling;
  return sum;
}

bool importanceIsOfSomeTerms(std::span<const ModelTerm> terms) {
  const auto telling = std::ranges::count_if(
      terms, [](const ModelTerm& term) { return !term.model->importance().empty(); });
  return telling > 0 && telling < std::ssize(terms);
}

std::optional<Attention> attentionOfSum(std::span<const ModelTerm> terms, const FeatureTable& batch,
                                        std::size_t program) {
  for (const ModelTerm& term : terms)
    if (std::optional<Attention> attention = term.model->attention(batch, program))
      return attention;
  return std::nullopt;
}

} // namespace nestwright
