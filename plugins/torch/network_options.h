#pragma once
/// \file What can be chosen about a neural model in a session. How one is trained before the
/// session is in core/learn/training_options.h.

#include "core/learn/training_options.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace nestwright::torch_models {

struct NetworkOptions {
  int threads = 1; // the caller knows what else runs; results do not depend on it
  std::uint32_t seed = 0;
  std::string loss;       // empty: publishedLoss()
  std::size_t hidden = 0; // width of the layers (mlp, lstm); 0: the published one
  /// How an update goes on from a network: "adam", as the first training; "fine", as TenSet's
  /// fine-tuning does.
  std::string tuning = "adam";
  std::size_t length = 25;     // steps that a program is padded and cut to (tlp, mtl-tlp)
  std::size_t memorySlots = 0; // NetworkShape::memorySlots (treegru)
  std::size_t warmup = 100;    // it trains on more programs than these
  /// An update's cost stays bounded (C13): so many rows are learned from, and so many programs in
  /// all passes together; 0: what takes a few seconds.
  std::size_t maxRows = 0;  // 0: 16,384, and 262,144 nodes of trees
  std::size_t newest = 128; // programs always learned from for being new
  std::size_t maxPasses = 0;
};

/// Throws UsageError for an unknown name or a value that cannot work, and lists what there is.
NetworkOptions networkOptionsFromJson(const char* model, const nlohmann::json& json);
nlohmann::json toJson(const NetworkOptions& options);

/// A training of `programs` programs within an update. The first one takes as many epochs as the
/// papers have, the others five, as far as the bound allows.
TrainingOptions updateOptions(const NetworkOptions& options, Architecture architecture,
                              std::size_t programs, bool first);

} // namespace nestwright::torch_models
