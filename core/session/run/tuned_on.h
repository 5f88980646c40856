#pragma once
/// \file What a network was tuned on, as the sessions of a file say: who runs it need not say it
/// again.

#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

struct TunedOn {
  std::string target = "llvm"; // SessionConfig::target
  std::string device;          // MeasureOptions::device
  /// Sentences about sessions that are left aside since their settings cannot be read.
  std::vector<std::string> notes;
};

/// On what the newest session of the file tunes this network, given by its complete text; on this
/// machine's processor where there is none.
TunedOn lastTunedOn(const RecordStore& store, const std::string& network);

} // namespace nestwright
