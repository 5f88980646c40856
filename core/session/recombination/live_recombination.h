#pragma once
/// \file What is known of a network's recombination: what its file says, grown by what is told
/// since.

#include "core/record/rows/network_choice.h"
#include "core/session/recombination/recombination.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// A value: as the file has it, then kept up with its events.
struct LiveRecombination {
  std::optional<RecombinationRow> row; // nothing: the network has none
  RecombinationConfig config;
  RecombinationState state;
  std::vector<SampleRow> samples;
  RecombinationSummary summary; // of the samples and the state's claims
  SessionStatus status = SessionStatus::Ready;
  /// What is being done, when it takes long; why it stopped, when it has.
  std::string phase;
  /// The combination that `run` uses now, if one of this network was kept.
  std::optional<NetworkChoice> kept;

  bool exists() const { return row.has_value(); }
  bool isRunning() const { return status == SessionStatus::Running; }
  /// True when that is the one which `run` uses.
  bool isKept(int sample) const;

  void apply(const std::vector<RecombinationEvent>& events);
};

/// The newest of the network. One that was killed counts as paused: what it announced is all there.
/// Throws InputError when what the file says of it is damaged.
LiveRecombination readRecombination(const RecordStore& store, RowId network);

} // namespace nestwright
