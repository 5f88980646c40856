#pragma once
/// \file A session's settings as it runs, and what is made of them.

#include "core/search/search_policy.h"
#include "core/session/run/session.h"
#include "core/session/schedule/task_scheduler.h"
#include "core/target/target.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nestwright {

/// The settings, which a person may change between two rounds, and what follows from them.
struct RunSettings {
  /// As the session's row has them, still without policy, scheduler and target. Throws InputError.
  explicit RunSettings(const SessionRow& session);

  /// Makes the policy and the scheduler that the settings name. Throws UsageError when they cannot
  /// be had.
  void makePolicies();
  /// The target that the session's tasks, this one among them, are tuned for. Throws InputError
  /// when the file does not know it, and when programs are measured by workers (`launch`; null for
  /// somebody else's measuring) whose machine is another one.
  void setTarget(const RecordStore& store, const TaskRow& task, const WorkerLaunch* launch);

  SessionConfig config;
  PolicyLaunch launch;              // the person's, of this run
  std::int64_t programsPerTask = 0; // of a collection (collection.h); 0: it is none
  std::vector<RowId> again;         // records whose programs it measures (measure_again.h)
  bool alone = false; // it knows nothing of what others measured of its tasks (race_entry.h)
  TargetFacts target;
  SpaceOptions space;
  std::unique_ptr<SearchPolicy> policy;
  bool learns = false; // the policy wants a cost model
  bool climbs = false; // the policy wants the fastest programs
  /// It searches the configurations of templates, not sketches.
  bool onTemplates() const { return config.space == SearchSpace::Templates && again.empty(); }
  std::unique_ptr<TaskScheduler> scheduler;
};

} // namespace nestwright
