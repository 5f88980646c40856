#pragma once
/// \file What of a file can be deployed: the networks and operators that its sessions tuned.

#include "core/target/target.h"

#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

struct TunedSubject {
  std::string spec;            // as resolveSubject() takes it
  std::string name;            // that a library of it has by itself
  std::string target = "llvm"; // or "cuda:sm_90": the architecture of the GPU that it was tuned on
  /// As the newest session on a processor tuned it.
  InstructionSet instructionSet = InstructionSet::Native;
  int cores = 0; // 0: all
  bool operator==(const TunedSubject&) const = default;
};

/// Each once for processors, and once for each architecture of GPUs; that of the newest session
/// first. Sessions that cannot be read, and imports, have none.
std::vector<TunedSubject> tunedSubjects(const RecordStore& store);

} // namespace nestwright
