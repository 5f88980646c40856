#include "tests/bench/shared_measurements.h"

#include "core/schedule/step.h"

#include <nlohmann/json.hpp>

namespace nestwright::bench {

namespace {

std::string keyOf(const MeasureRequest& request) {
  return request.dag + (request.naive ? "naive" : toJson(request.steps).dump());
}

/// The result says all that is asked for: a check may have become necessary.
bool answers(const MeasureResult& known, const MeasureRequest& request) {
  const bool wantsCheck = request.check && (request.checkBelowSeconds <= 0 ||
                                            known.latency() < request.checkBelowSeconds);
  return known.verdict != Verdict::Ok || known.checked || !known.uncheckedReason.empty() ||
         !wantsCheck;
}

} // namespace

MeasureFunction SharedMeasurements::forNextSession() {
  for (auto& [key, known] : known_)
    known.used = 0;
  return [this](const auto& requests, const auto& onResult, const auto* stop) {
    measure(requests, onResult, stop);
  };
}

void SharedMeasurements::measure(const std::vector<MeasureRequest>& requests,
                                 const std::function<void(const MeasureResult&)>& onResult,
                                 const std::atomic<bool>* stop) {
  std::vector<MeasureRequest> unknown;
  std::map<std::uint64_t, std::optional<MeasureResult>*> places; // of the results to come
  for (const MeasureRequest& request : requests) {
    Known& known = known_[keyOf(request)];
    if (known.used == known.results.size()) known.results.emplace_back();
    std::optional<MeasureResult>& place = known.results[known.used++];
    if (place && answers(*place, request)) {
      MeasureResult result = *place;
      result.id = request.id;
      ++reused_;
      onResult(result);
    } else {
      places[request.id] = &place;
      unknown.push_back(request);
    }
  }
  if (unknown.empty()) return;
  measurer_.measure(
      unknown,
      [&](const MeasureResult& measured) {
        std::optional<MeasureResult>& place = *places.at(measured.id);
        MeasureResult result = measured;
        if (place && result.verdict == Verdict::Ok) result.seconds = place->seconds;
        if (result.verdict != Verdict::Cancelled) {
          place = result;
          ++measured_;
        }
        onResult(result);
      },
      stop);
}

} // namespace nestwright::bench
