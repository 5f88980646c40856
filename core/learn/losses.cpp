#include "core/learn/losses.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace nestwright {

namespace {

constexpr NameTable<Loss, 6> kLosses{
    {"mse", "lambdarank", "ranknet", "listnet", "plain-mse", "pairwise"}};
/// Below it the public code takes no logarithm (handbook/cost-models.md 5.2).
constexpr double kFloor = 1e-10;

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

LossValue meanSquaredError(std::span<const float> outputs, std::span<const float> labels,
                           bool squashed) {
  const auto count = static_cast<double>(outputs.size());
  LossValue loss{0, std::vector<float>(outputs.size())};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double score =
        squashed ? sigmoid(static_cast<double>(outputs[i])) : static_cast<double>(outputs[i]);
    const double error = score - static_cast<double>(labels[i]);
    const double slope = squashed ? score * (1 - score) : 1;
    loss.value += error * error / count;
    loss.gradient[i] = static_cast<float>(2 * error * slope / count);
  }
  return loss;
}

/// Of the second kind: a pair counts by what exchanging its places would cost of the NDCG.
LossValue lambdaRank(std::span<const float> outputs, std::span<const float> labels) {
  const std::size_t count = outputs.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return outputs[i]; });

  std::vector<double> wanted(count), gains(count), discounts(count);
  for (std::size_t i = 0; i < count; ++i) {
    wanted[i] = std::max(0.0, static_cast<double>(labels[order[i]]));
    gains[i] = std::exp2(wanted[i]) - 1;
    discounts[i] = 1 / std::log2(2.0 + static_cast<double>(i));
  }
  std::vector<double> best = gains;
  std::ranges::sort(best, std::greater<>());
  const double ideal =
      std::max(kFloor, std::inner_product(best.begin(), best.end(), discounts.begin(), 0.0));

  LossValue loss{0, std::vector<float>(count)};
  std::vector<double> slopes(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      if (!(wanted[i] > wanted[j])) continue;
      const double weight =
          std::abs(discounts[i] - discounts[j]) * std::abs(gains[i] - gains[j]) / ideal;
      const double likely =
          sigmoid(static_cast<double>(outputs[order[i]]) - static_cast<double>(outputs[order[j]]));
      const double term = weight * std::log2(std::max(likely, kFloor));
      loss.value -= std::max(term, std::log2(kFloor));
      if (likely < kFloor || term < std::log2(kFloor)) continue; // flat there
      const double slope = weight * (1 - likely) / std::numbers::ln2;
      slopes[i] -= slope;
      slopes[j] += slope;
    }
  for (std::size_t i = 0; i < count; ++i)
    loss.gradient[order[i]] = static_cast<float>(slopes[i]);
  return loss;
}

/// Cross entropy of each pair's order, a mean over all places of the square of pairs.
LossValue rankNet(std::span<const float> outputs, std::span<const float> labels) {
  const std::size_t count = outputs.size();
  constexpr double kLeastLogarithm = -100; // of a probability, as the public code has it
  const double pairs = static_cast<double>(count) * static_cast<double>(count);
  LossValue loss{0, std::vector<float>(count)};
  std::vector<double> slopes(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) {
      const double likely =
          sigmoid(static_cast<double>(outputs[i]) - static_cast<double>(outputs[j]));
      const bool first = labels[i] > labels[j];
      loss.value -= std::max(kLeastLogarithm, std::log(first ? likely : 1 - likely)) / pairs;
      const double slope = (likely - (first ? 1 : 0)) / pairs;
      slopes[i] += slope;
      slopes[j] -= slope;
    }
  std::ranges::transform(slopes, loss.gradient.begin(),
                         [](double slope) { return static_cast<float>(slope); });
  return loss;
}

LossValue pairwise(std::span<const float> outputs, std::span<const float> labels) {
  LossValue loss{0, std::vector<float>(outputs.size())};
  std::vector<double> slopes(outputs.size());
  double pairs = 0;
  for (std::size_t better = 0; better < outputs.size(); ++better)
    for (std::size_t worse = 0; worse < outputs.size(); ++worse) {
      if (!(labels[better] > labels[worse])) continue;
      const double margin =
          static_cast<double>(outputs[better]) - static_cast<double>(outputs[worse]);
      loss.value += std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
      const double slope = sigmoid(-margin);
      slopes[better] -= slope;
      slopes[worse] += slope;
      pairs += 1;
    }
  if (pairs == 0) return loss;
  loss.value /= pairs;
  std::ranges::transform(slopes, loss.gradient.begin(),
                         [&](double slope) { return static_cast<float>(slope / pairs); });
  return loss;
}

std::vector<double> softmax(std::span<const float> values) {
  const double most = static_cast<double>(*std::ranges::max_element(values));
  std::vector<double> shares;
  double sum = 0;
  for (const float value : values) {
    shares.push_back(std::exp(static_cast<double>(value) - most));
    sum += shares.back();
  }
  for (double& share : shares)
    share /= sum;
  return shares;
}

/// Cross entropy of being the first, between labels and outputs.
LossValue listNet(std::span<const float> outputs, std::span<const float> labels) {
  const std::vector<double> wanted = softmax(labels), given = softmax(outputs);
  LossValue loss{0, std::vector<float>(outputs.size())};
  double common = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    loss.value -= wanted[i] * std::log(given[i] + kFloor);
    common += wanted[i] * given[i] / (given[i] + kFloor);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    loss.gradient[i] =
        static_cast<float>(given[i] * common - wanted[i] * given[i] / (given[i] + kFloor));
  return loss;
}

} // namespace

const char* name(Loss loss) {
  return kLosses.of(loss);
}

Loss lossFromName(const std::string& text) {
  if (const auto loss = kLosses.find(text)) return *loss;
  throw UsageError(
      fmt::format("there is no loss \"{}\"; there are {}", text, fmt::join(kLosses.names, ", ")));
}

LossValue lossOf(Loss loss, std::span<const float> outputs, std::span<const float> labels,
                 bool squashed) {
  NW_ASSERT(outputs.size() == labels.size(), "{} outputs beside {} labels", outputs.size(),
            labels.size());
  if (outputs.empty()) return {};
  switch (loss) {
  case Loss::Mse:
    return meanSquaredError(outputs, labels, squashed);
  case Loss::LambdaRank:
    return lambdaRank(outputs, labels);
  case Loss::RankNet:
    return rankNet(outputs, labels);
  case Loss::ListNet:
    return listNet(outputs, labels);
  case Loss::PlainMse:
    return meanSquaredError(outputs, labels, false);
  case Loss::Pairwise:
    return pairwise(outputs, labels);
  }
  return {};
}

} // namespace nestwright
