#pragma once
/// \file Vectors of features that were computed before, in bounded memory.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestwright {

/// By configuration. When either limit is reached all are dropped, as AutoTVM does it. A value.
class FeatureCache {
 public:
  FeatureCache(std::size_t mostVectors, std::size_t mostNumbers)
      : mostVectors_(mostVectors), mostNumbers_(mostNumbers) {}

  std::size_t size() const { return vectors_.size(); }
  /// Numbers of all vectors together.
  std::size_t numbers() const { return numbers_; }
  bool contains(std::int64_t config) const { return vectors_.contains(config); }
  /// One that it contains.
  const std::vector<float>& at(std::int64_t config) const { return vectors_.at(config); }

  /// Keeps one that it does not contain.
  void add(std::int64_t config, std::vector<float> features) {
    if (size() >= mostVectors_ || numbers_ + features.size() > mostNumbers_) {
      vectors_.clear();
      numbers_ = 0;
    }
    numbers_ += features.size();
    vectors_.emplace(config, std::move(features));
  }

 private:
  std::unordered_map<std::int64_t, std::vector<float>> vectors_;
  std::size_t mostVectors_, mostNumbers_;
  std::size_t numbers_ = 0;
};

} // namespace nestwright
