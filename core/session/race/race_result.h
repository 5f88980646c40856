#pragma once
/// \file What a race says: for each task the best throughput of every racer against trials or time,
/// with an interval over the seeds, and who wins how often and whether that could be chance.

#include "core/session/race/race.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// From x on, which is a trial or a second of the session's clock, its best takes so many seconds.
struct BestStep {
  double x = 0, seconds = 0;
  friend bool operator==(const BestStep&, const BestStep&) = default;
};

/// What one session of the race did.
struct RaceCourse {
  RowId session = 0;
  SessionStatus status = SessionStatus::Ready;
  std::vector<BestStep> bests; // ascending in x
  double reached = 0;          // the last x
  std::int64_t trials = 0, errors = 0;
  bool hasEnded = false; // Race::hasEnded()
  friend bool operator==(const RaceCourse&, const RaceCourse&) = default;
};

/// The geometric mean over seeds of best throughput, FLOP/s, with its 95 % interval: Student's t of
/// the logarithms. A step line: values hold from x[i] on. It begins where each of its sessions has
/// a program that ran.
struct RaceCurve {
  std::vector<double> x, mean, low, high;
  std::size_t sessions = 0; // that it is of; with one there is no interval, and low is high
  bool empty() const { return x.empty(); }
  /// The point that holds there; nothing before the curve begins.
  std::optional<std::size_t> at(double where) const;
};

/// The mean of such courses, up to the furthest of them: one that has ended keeps its best.
RaceCurve meanCurve(const std::vector<RaceCourse>& courses, double flops);

/// Two racers, over all tasks and seeds on which both have ended: by what each was faster in the
/// end.
struct RaceDuel {
  std::size_t left = 0, right = 0;            // racers
  int pairs = 0, leftWins = 0, rightWins = 0; // the rest are draws
  int unmatched = 0; // of the pairs those where one has no program at all, which loses
  double ratio = 1, low = 1, high = 1; // throughput of the left by the right's: geometric mean and
                                       // 95 % interval over the pairs where both have a program
  double p = 1;                        // signedRank() of the logarithms of the ratios
  bool leansLeft = false;              // the side of signedRank() is the left one's
  double adjusted = 1;                 // for the number of duels, holmAdjusted()
  bool isSignificant() const { return adjusted < 0.05; }
  /// Of a significant one: who is faster beyond chance, whichever way the mean ratio leans.
  std::size_t winner() const { return leansLeft ? left : right; }
  std::size_t loser() const { return leansLeft ? right : left; }
  friend bool operator==(const RaceDuel&, const RaceDuel&) = default;
};

struct RaceResult {
  Race race;
  std::vector<RaceCourse> courses; // racer by racer, in it task by task, in it seed by seed
  std::vector<RaceDuel> duels;     // of each two racers
  const RaceCourse& course(std::size_t racer, std::size_t task, std::size_t seed) const;
  /// Of the sessions that have ended; while none has, of the one that is furthest.
  RaceCurve curve(std::size_t racer, std::size_t task) const;
  /// Sessions that have ended, and the share of all budgets that is used.
  std::size_t ended() const;
  double used() const;
  friend bool operator==(const RaceResult&, const RaceResult&) = default;
};

/// Reads the curves of all of its sessions.
RaceResult raceResult(const RecordStore& store, const Race& race);

/// "evolutionary is 1.24× as fast as random (95 %: 1.18× to 1.31×), 12 : 3, p = 0.001", and what to
/// make of it.
std::string inWords(const RaceDuel& duel, const std::vector<std::string>& racers);

/// Who is faster than whom beyond chance, in a sentence without a full stop.
std::string summary(const RaceResult& result);

/// All of it, as one document.
nlohmann::json toJson(const RaceResult& result);

} // namespace nestwright
