#pragma once
/// \file What the learner does with networks, without a word of libtorch: keeps them, scores with
/// them, explains, tells attention, and trains one at a time. The same numbers in give the same
/// numbers out, for every number of threads: work is cut into parts of a size that depends on
/// nothing else, and what they give is added up in their order.

#include "core/learn/learner_protocol.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::learner {

class Engine {
 public:
  Engine();
  ~Engine();

  /// Throws InputError when the numbers are not those of such a network.
  void keep(const KeepWork& work, const std::vector<float>& numbers);
  std::vector<float> score(const ScoreWork& work) const;
  std::vector<float> explain(const ExplainWork& work) const;
  std::vector<float> attention(const AttentionWork& work) const;
  void start(const StartWork& work, const std::vector<float>& numbers);
  /// `tell` hears after each batch how many programs have been learned from.
  EpochAnswer epoch(const EpochWork& work, const std::function<void(std::size_t)>& tell);

  static std::string libraryVersion();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace nestwright::learner
