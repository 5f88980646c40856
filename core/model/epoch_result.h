#pragma once
/// \file What a pass over the programs gave while a model was trained.

namespace nestwright {

struct EpochResult {
  int epoch = 0;                               // from 1; of trees: how many there are
  double trainingLoss = 0, validationLoss = 0; // means over batches
  /// Means over the validation's tasks of the best label among the 1 and the 5 best predicted,
  /// divided by the best label; 0 without programs to validate with.
  double top1 = 0, top5 = 0;
  double seconds = 0;
};

/// JSON both ways (core/support/json_fields.h).
template <class Io>
void fields(Io& io, EpochResult& result) {
  io("epoch", result.epoch);
  io.number("training_loss", result.trainingLoss);
  io.number("validation_loss", result.validationLoss);
  io("top1", result.top1);
  io("top5", result.top5);
  io("seconds", result.seconds);
}

} // namespace nestwright
