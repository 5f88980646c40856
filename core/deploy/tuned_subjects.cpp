#include "core/deploy/tuned_subjects.h"

#include "core/deploy/deploy_options.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/target_named.h"
#include "core/record/format/target_facts.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"

#include <algorithm>
#include <optional>

namespace nestwright {

namespace {

/// A polish names its task in words, which nothing can be made of.
bool isSubject(const std::string& text, const std::vector<NetworkRow>& networks) {
  return isTaskSpec(text) || text.ends_with(".dag") || text.find('#') != std::string::npos ||
         std::ranges::find(networks, text, &NetworkRow::spec) != networks.end();
}

/// What deploy calls the target of a session; empty for a GPU that nothing is known of.
std::string targetOf(const RecordStore& store, const SessionConfig& config, RowId session) {
  if (!namesGpu(config.target)) return TunedSubject().target;
  const std::vector<TaskRow> tasks = store.sessions().tasks(session);
  for (const TargetRow& row : store.targets().all())
    if (!tasks.empty() && row.id == tasks.front().target)
      if (const std::optional<TargetFacts> facts = factsIfKnown(row); facts && facts->gpu)
        if (const std::string name = facts->gpu->architecture.name(); !name.empty())
          return "cuda:" + name;
  return {};
}

} // namespace

std::vector<TunedSubject> tunedSubjects(const RecordStore& store) {
  const std::vector<NetworkRow> networks = store.networks().all();
  std::vector<SessionRow> sessions = store.sessions().all();
  std::ranges::sort(sessions, std::ranges::greater(), &SessionRow::createdAt);
  std::vector<TunedSubject> subjects;
  for (const SessionRow& session : sessions) {
    SessionConfig config;
    try {
      if (isImport(session)) continue;
      config = configOf(session);
    } catch (const InputError&) { // the window says so where the session is shown
      continue;
    }
    const std::string target = targetOf(store, config, session.id);
    const bool onProcessor = !namesGpu(config.target);
    for (const std::string& text : config.subjects) {
      const bool known = std::ranges::any_of(subjects, [&](const TunedSubject& one) {
        return one.spec == text && one.target == target;
      });
      if (known || target.empty() || !isSubject(text, networks)) continue;
      subjects.push_back({text, libraryName(text), target,
                          onProcessor ? instructionSetOf(config.target) : InstructionSet::Native,
                          onProcessor ? config.measure.threads : 0});
    }
  }
  return subjects;
}

} // namespace nestwright
