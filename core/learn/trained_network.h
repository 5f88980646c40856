#pragma once
/// \file A network with all that is to be known of it, and its saved form.

#include "core/learn/network.h"
#include "core/learn/training_options.h"
#include "core/model/cost_model.h"
#include "core/model/epoch_result.h"
#include "core/model/sealed_model.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct TrainedNetwork {
  NeuralNetwork network;
  TrainingOptions options;
  std::vector<EpochResult> curve;
  int kept = 0;                      // the epoch whose network it is; 0: of none, as it began
  std::size_t programs = 0;          // learned from
  std::vector<std::string> tasks;    // workload keys of them
  std::vector<std::string> machines; // target ids of its heads
  std::string dataHash;              // of the programs, their features and labels
};

/// The whole network as bytes; the inverse throws InputError for bytes that are no such network,
/// damaged, or of a form that cannot be read, naming both versions (C42), and for another network.
std::string toBytes(const TrainedNetwork& trained);
TrainedNetwork trainedNetworkFromBytes(std::string_view bytes, Architecture architecture);

/// Scores of the outputs of a head, `heads` a program: normalised throughputs, or what orders as
/// they do. kUnknownProgram for programs all of whose features are 0.
std::vector<double> scoresOf(const TrainedNetwork& trained, std::span<const float> outputs,
                             const FeatureTable& table, std::size_t head = 0);

// The parts that a checkpoint (train.h) has, too.
ModelForm networkForm();
nlohmann::json headerOf(const TrainedNetwork& trained);
TrainedNetwork trainedNetworkFromHeader(const std::string& model, const nlohmann::json& header);
std::string bytesOf(std::span<const float> numbers);
/// `count` numbers from the front of the bytes, which are then behind them. Throws InputError when
/// there are fewer or one is not finite.
std::vector<float> takeNumbers(const std::string& model, std::string_view& bytes,
                               std::size_t count);

} // namespace nestwright
