#include "core/session/run/tuning/round_work.h"

#include <algorithm>

namespace nestwright {

RoundFinished roundFinished(RowId task, int round, const Proposal& proposal, const RoundWork& work,
                            PartClock& parts) {
  RoundFinished event{task, round, work.trials};
  event.samplingSeconds = parts.of(RoundPart::Choosing);
  event.measureSeconds = parts.of(RoundPart::Measuring);
  event.trainSeconds = parts.of(RoundPart::Training);
  event.storeSeconds = parts.of(RoundPart::Storing);
  event.wallSeconds =
      event.samplingSeconds + event.measureSeconds + event.trainSeconds + event.storeSeconds;
  event.besideSeconds = work.beside;
  event.kernelSeconds = work.kernel;
  event.buildSeconds = work.build;
  event.compileSeconds = std::min(work.compile, event.measureSeconds);
  event.featureSeconds = work.scoring.features;
  event.predictSeconds = work.scoring.predict;
  // The proposal's own time has what was stored of it meanwhile.
  const double thinking = std::min(proposal.evolutionSeconds, event.samplingSeconds);
  event.evolutionSeconds = std::max(0.0, thinking - work.scoring.features - work.scoring.predict);
  return event;
}

} // namespace nestwright
