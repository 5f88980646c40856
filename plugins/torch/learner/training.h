#pragma once
/// \file One training: a network, its optimiser, and the programs that it learns from.

#include "plugins/torch/learner/kept_network.h"
#include "plugins/torch/learner/step_programs.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace nestwright::learner {

class Training {
 public:
  /// `numbers` are the weights, the optimiser's two moments and the maxima of the columns. Throws
  /// InputError where they do not fit the table.
  Training(const StartWork& work, const std::vector<float>& numbers);
  /// Learns from each program once, in an order that the epoch's number decides, and validates.
  /// `tell` hears after each batch how many programs that were.
  EpochAnswer epoch(const EpochWork& work, const std::function<void(std::size_t)>& tell);

 private:
  /// The outputs of programs, with what it takes to find their gradient.
  torch::Tensor forward(std::span<const std::size_t> programs) const;
  torch::Tensor forwardTrees(std::span<const std::size_t> programs) const;
  torch::Tensor forwardStatements(std::span<const std::size_t> programs) const;
  torch::Tensor forwardSteps(std::span<const std::size_t> programs) const;
  /// That work now.
  int threads() const;
  /// One step of the optimiser; gives the batch's loss.
  double learn(std::span<const std::size_t> programs);
  /// The loss of one head over the programs that have a label there.
  bool addLoss(std::size_t head, std::span<const std::size_t> programs,
               const std::vector<float>& values, double& loss, std::vector<float>& slopes) const;
  static bool squashes(const StartWork& work);
  void step(const std::vector<torch::autograd::variable_list>& gradients);
  /// Kingma and Ba, in the order of PyTorch's operations.
  void adamStep(double rate);
  void validate(EpochAnswer& answer) const;

  StartWork work_;
  MappedTable table_;
  KeptNetwork network_;
  std::int64_t steps_;
  torch::Tensor first_, second_, gradient_; // of the optimiser
  StepPrograms programs_;                   // to learn from
  TreePrograms trees_;                      // likewise
  std::vector<TreePrograms> validated_;     // of each part that is scored at once
};

} // namespace nestwright::learner
