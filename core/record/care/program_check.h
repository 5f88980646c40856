#pragma once
/// \file Whether the programs in a file are those that were measured.

#include <functional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

struct ProgramCheck {
  std::vector<std::string> problems; // the first ones, in words; empty when all agree
  std::int64_t replayed = 0;         // records
  std::int64_t imported = 0; // without an identity of their own: it is computed from their steps
};

/// Compares each task's definition with the hash in its key, and each measured record's definition
/// and steps with the program identity that was stored when it was measured; replays the steps of
/// those that ran. Some 40,000 records a second. `goOn` gets the done fraction; QueryStopped is
/// thrown when it says no.
ProgramCheck checkPrograms(const RecordStore& store, const std::function<bool(double)>& goOn = {});

} // namespace nestwright
