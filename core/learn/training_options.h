#pragma once
/// \file How a network is trained. Defaults are those of the papers
/// (handbook/cost-models.md 5.4).

#include "core/learn/learner_protocol.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// Which of the networks that a training goes through is kept.
enum class Keep : unsigned char {
  Last,           // TenSet's
  BestValidation, // TLP's: that of the least validation loss
};
const char* name(Keep keep);

struct TrainingOptions {
  Architecture architecture = Architecture::Mlp;
  StepOptions step; // loss, optimiser, batch; its seed also draws the first weights
  int epochs = 50;
  /// Epochs without a better running mean of the training loss (0.95 old + 0.05 new) before it
  /// ends; 0: it never does.
  int patience = 0;
  Keep keep = Keep::BestValidation;
  int threads = 1; // the result does not depend on them
  /// Steps that a program is padded and cut to (tlp, mtl-tlp).
  std::size_t length = 25;
  std::size_t hidden = 0; // width of the layers (mlp, lstm); 0: the published one
  /// The machines of the heads, the one that it is for first (mtl-tlp). Empty: all of the set, in
  /// its order.
  std::vector<std::string> machines;
  /// So many programs to learn from keep their label of the first machine, drawn by the seed; 0:
  /// all of them (mtl-tlp).
  std::size_t targetRecords = 0;
  std::size_t memorySlots = 0; // NetworkShape::memorySlots (treegru)
};

/// The loss that its paper settles for.
Loss publishedLoss(Architecture architecture);
/// Those of the papers for a network and a loss.
TrainingOptions publishedTraining(Architecture architecture, Loss loss);
/// TenSet's way of going on from a trained network: ten passes of plain gradient descent. It clips
/// gradients, which the public code does not and diverges.
TrainingOptions fineTuning(const TrainingOptions& trained);

/// Throws UsageError, which says what can be, for values that cannot work.
void requireSensible(const TrainingOptions& options);

nlohmann::json toJson(const TrainingOptions& options);
/// Throws nlohmann::json::exception or UsageError.
TrainingOptions trainingOptionsFromJson(const nlohmann::json& json);

} // namespace nestwright
