#pragma once
/// \file A made-up machine on which the sizes of tiles tell how fast a program is: what is learned
/// of one task holds for the others.

#include "tests/session/made_up_machine.h"

#include <cmath>
#include <memory>

namespace nestwright::made_up {

/// A time that the sizes of tiles tell, alike for all tasks.
inline MeasureResult timeOfTiles(const MeasureRequest& request) {
  MeasureResult result;
  result.id = request.id;
  double seconds = 1;
  if (!request.naive) {
    seconds = 1e-3;
    for (const nlohmann::json& step : toJson(request.steps))
      if (step.at(0) == "SP")
        for (const nlohmann::json& length : step.at(4))
          if (length.is_number())
            seconds *= 1 + std::abs(std::log2(length.get<double>()) - 2.5) / 4;
  }
  result.seconds = {seconds, seconds, seconds};
  result.checked = true;
  return result;
}

inline void measureTiles(const std::vector<MeasureRequest>& requests,
                         const std::function<void(const MeasureResult&)>& onResult,
                         const std::atomic<bool>* stop) {
  for (const MeasureRequest& request : requests) {
    MeasureResult result = timeOfTiles(request);
    if (stop && *stop) result.verdict = Verdict::Cancelled;
    onResult(result);
  }
}

/// The same, but that of the answers that are right this one, counted from 1, is wrong.
inline MeasureFunction wrongAnswer(int number) {
  const auto measured = std::make_shared<int>(0);
  return [number, measured](const auto& requests, const auto& onResult, const auto* stop) {
    const auto pass = [&](MeasureResult result) {
      if (result.verdict == Verdict::Ok && ++*measured == number) {
        result.verdict = Verdict::WrongAnswer;
        result.error = "5 of 1024 values differ";
        result.seconds.clear();
      }
      onResult(result);
    };
    measureTiles(requests, pass, stop);
  };
}

} // namespace nestwright::made_up
