#include "core/measure/builds_ahead.h"

#include "core/measure/kernel_stages.h"
#include "core/measure/protocol.h"
#include "core/measure/work_failure.h"
#include "core/support/clock.h"

#include <algorithm>
#include <utility>

namespace nestwright {

std::deque<WorkerJob> BuildsAhead::expect(const std::vector<MeasureRequest>& programs) {
  builds_.clear();
  std::deque<WorkerJob> jobs;
  for (const MeasureRequest& request : programs) {
    const auto build = std::make_shared<Build>(Build{request.dag, request.steps, {}, false, {}});
    builds_.push_back(build);
    jobs.push_back(jobOf(build, request));
  }
  return jobs;
}

bool BuildsAhead::take(const MeasureRequest& request, Then then) {
  if (request.naive) return false;
  const auto found = std::ranges::find_if(builds_, [&](const std::shared_ptr<Build>& build) {
    return build->steps == request.steps && build->dag == request.dag;
  });
  if (found == builds_.end()) return false;
  const std::shared_ptr<Build> build = *found;
  builds_.erase(found);
  if (build->over)
    then(std::move(build->built));
  else
    build->then = std::move(then);
  return true;
}

WorkerJob BuildsAhead::jobOf(const std::shared_ptr<Build>& build,
                             const MeasureRequest& request) const {
  WorkerJob job{toFrame(buildWorkFor(options_, request, target_)),
                options_.buildTimeoutSeconds,
                kBuiltAnswer,
                {}};
  job.onOutcome = [build, stage = buildStage(options_)](WorkOutcome&& outcome) -> NextWork {
    MeasureResult result;
    BuiltProgram program;
    program.startedAt = nowMicroseconds() - static_cast<std::int64_t>(outcome.seconds * 1e6);
    const bool built = takeAnswer(result, outcome, stage, [&](Frame&& answer) {
      BuiltAnswer told = builtAnswer(std::move(answer));
      program.seconds = told.seconds;
      program.artifact = std::move(told.artifact);
    });
    build->over = true;
    if (built) build->built = std::move(program);
    if (build->then) std::exchange(build->then, {})(std::exchange(build->built, std::nullopt));
    return {nullptr, result.verdict == Verdict::WorkerLost};
  };
  return job;
}

} // namespace nestwright
