#include "core/session/run/tuning/run_measurer.h"

#include "core/plugin/plugin.h"

#include <cmath>

namespace nestwright {

namespace {

MeasureRequest requestOf(const ProgramText& program) {
  MeasureRequest request;
  request.dag = program.dag;
  request.steps = program.steps;
  return request;
}

} // namespace

MeasureRequest naiveRequest(const std::string& dag) {
  MeasureRequest request;
  request.dag = dag;
  request.naive = true;
  return request;
}

MeasureRequest timeRequest(const ProgramText& program) {
  MeasureRequest request = requestOf(program);
  request.repeats = 1; // many short turns cancel more of what drifts than few long ones
  return request;
}

MeasureRequest programRequest(const ProgramText& program, double bestSeconds) {
  MeasureRequest request = requestOf(program);
  request.check = true;
  request.checkBelowSeconds = request.bestSeconds = std::isfinite(bestSeconds) ? bestSeconds : 0;
  return request;
}

MeasureRequest answerRequest(const ProgramText& program) {
  MeasureRequest request = requestOf(program);
  request.check = true;
  request.onlyCheck = true;
  return request;
}

std::vector<EnvironmentFinding> RunMeasurer::environment() const {
  std::vector<EnvironmentFinding> findings = checkEnvironment();
  if (target_.gpu && launch_.command.empty())
    for (EnvironmentFinding& finding : backend(target_.backend).environment(options_.device))
      findings.push_back(std::move(finding));
  return findings;
}

void RunMeasurer::measure(const std::vector<MeasureRequest>& requests,
                          const std::function<void(const MeasureResult&)>& onResult,
                          const std::atomic<bool>& interrupt, const BesideMeasuring& beside) {
  const InPart measuring(parts_, RoundPart::Measuring);
  if (measure_) return measure_(requests, onResult, &interrupt);
  if (!workers_) workers_ = std::make_unique<Measurer>(options_, launch_, target_);
  workers_->measure(requests, onResult, &interrupt, beside);
}

std::vector<MeasureResult> RunMeasurer::measureAll(std::vector<MeasureRequest> requests,
                                                   const std::atomic<bool>& interrupt) {
  for (std::size_t i = 0; i < requests.size(); ++i)
    requests[i].id = i;
  std::vector<MeasureResult> results(requests.size());
  measure(
      requests, [&](const MeasureResult& result) { results[result.id] = result; }, interrupt);
  return results;
}

} // namespace nestwright
