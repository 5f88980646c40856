#pragma once
/// \file The two losses of AutoTVM's model (handbook/cost-models.md 3.6), as gradients. Ours rather
/// than XGBoost's, so that they are the same for every thread count and start from scores of any
/// other model.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwright::xgboost {

/// One a program: the slope of the loss by its score, and its second derivative.
struct Gradients {
  std::vector<float> slopes, hessians;
};

/// Half the square of the error.
Gradients squaredError(const std::vector<double>& scores, const std::vector<float>& labels);

/// XGBoost 1.7's `rank:pairwise` on a single group: each program is paired with one drawn among
/// those of another label, and the pair's loss is log(1 + exp(worse - better)).
class PairwiseRank {
 public:
  explicit PairwiseRank(const std::vector<float>& labels);
  /// The draws are those of the round under the seed.
  Gradients gradients(const std::vector<double>& scores, std::uint64_t seed, int round) const;

 private:
  struct Bucket {
    std::size_t begin, end; // into byLabel_: programs of one label
  };
  std::vector<std::size_t> byLabel_; // programs, the best first
  std::vector<Bucket> buckets_;
};

} // namespace nestwright::xgboost
