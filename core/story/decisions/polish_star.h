#pragma once
/// \file What a polish measured, as a star: programs that were polished in the middle, and around
/// them a ray for each decision with the neighbours that differ in it (handbook/ansor.md 4.9).

#include "core/session/run/finish/polish_session.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

/// A program whose neighbours were measured.
struct StarCentre {
  std::string program; // programId
  RowId record = 0;    // the fastest of its measurements
  std::int64_t trial = 0;
  double seconds = 0;
  std::size_t neighbours = 0;
};

struct StarNeighbour {
  RowId record = 0;
  std::string change; // "4 · 2 · 8 becomes 4 · 4 · 4"
  double gain = 0;    // as PolishedNeighbour::gain
  bool taken = false; // its own neighbours were measured, too: it took its parent's place
  bool failed() const { return gain <= -1; }
  /// By how many times its time differs from its parent's, whichever is longer; infinite when it
  /// failed.
  double factor() const;
};

struct StarRay {
  std::string decision;
  double importance = 1, bestGain = 0;   // as in DecisionImportance
  std::vector<StarNeighbour> neighbours; // the nearest to the middle first, those that failed last
  double reach() const;                  // the largest factor of those that ran; 1 without any
};

struct PolishStar {
  std::vector<StarCentre> centres; // in the order in which they were polished
  std::size_t centre = 0;          // the one in the middle; centres.size(): each beside its parent
  std::vector<StarRay> rays;       // by rankOfDecision
  bool isOfAll() const { return centre == centres.size(); }
  /// The largest factor of all rays.
  double reach() const;
};

/// Of the task's polishes. `around` is the programId in the middle; empty, or of none of them:
/// every neighbour, each compared with its own parent, which gives the importance of the task's
/// decisions.
PolishStar polishStar(const RecordStore& store, RowId task, const std::string& around = {});
/// From what decisionImportance() found; the centres' records are left out.
PolishStar polishStar(const std::vector<DecisionImportance>& decisions, const std::string& around);

} // namespace nestwright
