#pragma once
/// \file What a network is to make small: losses of a batch of programs, with their gradients
/// (handbook/cost-models.md 5.2). They are functions of two lists of numbers and need no library,
/// so that the largest batch takes no table of pairs.

#include <span>
#include <string>
#include <vector>

namespace nestwright {

enum class Loss : unsigned char {
  Mse,
  LambdaRank,
  RankNet,
  ListNet,
  PlainMse,
  Pairwise // AutoTVM's: of each pair of different labels log(1 + exp(worse - better)), their mean
};

/// "mse", "lambdarank", "ranknet", "listnet", "plain-mse", "pairwise"
const char* name(Loss loss);
/// Throws UsageError that lists the names.
Loss lossFromName(const std::string& text);

struct LossValue {
  double value = 0;
  std::vector<float> gradient; // one a program: how the value grows with its output
};

/// Of the network's outputs for the programs of a batch, whatever tasks they are of, and their
/// labels, normalised throughputs. `squashed` puts a sigmoid between outputs and the mean squared
/// error, as the MLP has it, for labels from 0 to 1; the plain one has none, for labels of any
/// size. The other losses look at differences alone. 0 without programs. LambdaRank, RankNet and
/// Pairwise take O(n^2) time, and all of them O(n) memory.
LossValue lossOf(Loss loss, std::span<const float> outputs, std::span<const float> labels,
                 bool squashed);

} // namespace nestwright
