#include "core/session/recombination/live_recombination.h"

#include "core/record/store/choice_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/store.h"

#include <algorithm>
#include <utility>

namespace nestwright {
namespace {

void apply(const RecombinationEvent& event, LiveRecombination& live) {
  if (const auto* status = std::get_if<RecombinationStatusChanged>(&event)) {
    live.status = status->status;
    live.phase = status->reason;
  } else if (const auto* phase = std::get_if<RecombinationPhase>(&event)) {
    live.phase = phase->text;
  } else if (const auto* sample = std::get_if<SampleMeasured>(&event)) {
    if (sample->row.sample == static_cast<int>(live.samples.size()))
      live.samples.push_back(sample->row);
    live.phase.clear();
  } else {
    const WinnerClaim& claim = std::get<ClaimJudged>(event).claim;
    std::vector<WinnerClaim>& claims = live.state.claims;
    const auto known = std::ranges::find(claims, claim.sample, &WinnerClaim::sample);
    if (known == claims.end())
      claims.push_back(claim);
    else
      *known = claim;
  }
}

} // namespace

LiveRecombination readRecombination(const RecordStore& store, RowId network) {
  LiveRecombination live;
  for (RecombinationRow& row : store.recombinations().all(network))
    live.row = std::move(row);
  if (!live.row) return live;
  live.config = configOf(*live.row);
  live.state = recombinationStateFromText(live.row->state);
  live.samples = store.recombinations().samples(live.row->id);
  live.summary = summarise(live.samples, live.state.claims);
  const SessionStatus status = live.row->status;
  live.status = status == SessionStatus::Running ? SessionStatus::Paused : status;
  live.kept = store.choices().of(network, live.row->target);
  return live;
}

bool LiveRecombination::isKept(int sample) const {
  if (!kept || !row || kept->recombination != row->id || sample >= static_cast<int>(samples.size()))
    return false;
  const SampleRow& measured = samples[static_cast<std::size_t>(sample)];
  for (std::size_t i = 0; i < state.candidates.size(); ++i) {
    const TaskCandidates& task = state.candidates[i];
    const RowId record = task.programs[static_cast<std::size_t>(measured.choice[i])].record;
    const auto program =
        std::ranges::find(kept->programs, task.task, &NetworkChoice::Program::task);
    if (program == kept->programs.end() || program->record != record) return false;
  }
  return true;
}

void LiveRecombination::apply(const std::vector<RecombinationEvent>& events) {
  for (const RecombinationEvent& event : events)
    nestwright::apply(event, *this);
  summary = summarise(samples, state.claims);
}

} // namespace nestwright
