#pragma once
/// \file The cost model that a session begins with where its memory has records to learn from.

#include "core/session/run/memory/known_programs.h"
#include "core/session/run/session.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

/// What may teach a task of the session.
struct TaughtBy {
  std::string task;                 // its workload key
  std::vector<RelatedTask> related; // MemoryTasks::relatedTo()
};

/// A trained model as a file's bytes (modelFileBytes), which learned from records of the same task,
/// the same machine and the same kind: the nearer, the more of them (kTaughtBySameTask and its
/// neighbours). Empty where they are fewer than kLeastTaught. `taught` gets their number. Throws as
/// costModel() does.
std::string taughtModel(const SessionConfig& config, const TargetFacts& target,
                        const MemoryTasks& known, const std::vector<TaughtBy>& teachers,
                        std::size_t& taught);

} // namespace nestwright
