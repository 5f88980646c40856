#pragma once
/// \file Where a task was tuned, so that nobody takes another machine's programs, or none, for
/// tuned ones (C36).

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// In the order in which they are worth having: the greater of two holds.
enum class TuningOrigin : std::uint8_t {
  Fallback,  // nothing: the network runs with a program that nobody tuned
  Elsewhere, // likewise, though the file has programs that ran well on another machine
  Here,      // the file has a verified best of this machine
};
/// "fallback", "tuned elsewhere", "tuned on this machine"
const char* name(TuningOrigin origin);

/// Where each of these tasks (by their keys, TaskRow::key) was tuned, seen from the machine with
/// this identity (TargetFacts::id), by the records of whatever sessions the file holds.
std::vector<TuningOrigin> tuningOrigins(const RecordStore& store,
                                        const std::vector<std::string>& keys,
                                        const std::string& machine);

/// What a task takes of a network's latency as it would be built now.
struct OriginShare {
  TuningOrigin origin = TuningOrigin::Fallback;
  double seconds = 0; // weight × best, or × naive without one; infinity or 0 when not measured
};
/// The share of the latency that is spent in programs that were not tuned on this machine, 0 to 1;
/// nothing while some task's time is not known, or without tasks.
std::optional<double> untunedShare(std::span<const OriginShare> tasks);

} // namespace nestwright
