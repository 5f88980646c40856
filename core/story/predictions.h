#pragma once
/// \file What the cost model expected of programs before they were measured, beside what was
/// measured: plain values, round by round.

#include "core/record/rows/record.h"
#include "core/story/tuning_history.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// One measured program of which the cost model had an opinion.
struct PredictedProgram {
  RowId record = 0, task = 0;
  std::int64_t trial = 0;
  int round = 0;        // of the session; 0 where the file does not say
  double predicted = 0; // the model's score
  /// Of a model that began as a trained one, whose scores need be right in their order alone: the
  /// share that the round's program at the same place by measurement had.
  std::optional<double> placed = {};
  std::optional<double> deviation = {}; // how sure the model was of it, one standard deviation
  std::string ranking = {};             // which parts of the model said so (CostModel::ranking)
  double seconds = 0;                   // infinity when it failed
  bool exploring = false;               // drawn at random, not picked for its score
  /// Measured share of that throughput; above 1 it became the fastest, 0 when it failed. NaN while
  /// nothing is known to compare with.
  double share = std::numeric_limits<double>::quiet_NaN();

  bool failed() const { return seconds == kUnknown; }
  bool comparable() const { return !failed() && share > 0; }
  /// Share of the throughput of the fastest program known then that the score stands for.
  double expected() const { return placed.value_or(predicted); }
  /// How much faster than expected, as a share; negative when slower.
  double surprise() const { return share - expected(); }
};

/// The program with its score, or nothing for a record that was made without a trained model, on
/// demand, or by a version that kept no scores.
std::optional<PredictedProgram> predictionOf(const Record& record);

/// How well the model ranked the programs of a round before it learned from them. Failed ones,
/// from which it never learns, are left out.
struct RoundQuality {
  int round = 0;
  RowId task = 0;
  std::size_t programs = 0;
  double accuracy = 0;    // pairwiseAccuracy()
  double correlation = 0; // rankCorrelation()
  double recall = 0;      // recallAt(k); NaN of a round of no more than k programs: all are best
  std::string ranking;    // which parts of the model ranked it (CostModel::ranking)
  double chance = 0;      // the recall of a random order, k / programs; NaN likewise
};

class Predictions {
 public:
  /// Appends programs, in the order of their records; one that is there already is ignored.
  void add(const std::vector<PredictedProgram>& programs);
  void clear();
  /// Compares with the fastest program that was known when each round began; where none was, with
  /// the fastest of the round itself.
  void compare(const TuningHistory& history);

  const std::vector<PredictedProgram>& programs() const { return programs_; }
  bool empty() const { return programs_.empty(); }
  const PredictedProgram* find(RowId record) const;
  /// Rounds with predictions, ascending; of one task, or of all for 0.
  std::vector<int> rounds(RowId task = 0) const;
  std::vector<const PredictedProgram*> ofRound(int round) const;
  /// Those of the task (0: all) in rounds [first, last].
  std::vector<const PredictedProgram*> between(int first, int last, RowId task = 0) const;

 private:
  void expectByOrder(const std::vector<std::size_t>& round);

  std::vector<PredictedProgram> programs_;
  std::map<int, std::vector<std::size_t>> rounds_; // positions in programs_
};

/// The quality of one round's ranking; `programs` is 0 where fewer than two can be compared.
RoundQuality qualityOf(const std::vector<const PredictedProgram*>& round, std::size_t k);

/// The programs with the largest |expected - measured|, largest first, without failed ones.
std::vector<const PredictedProgram*> worstSurprises(std::vector<const PredictedProgram*> programs,
                                                    std::size_t count);

/// Mean of each value and the `radius` values before and after it, as far as there are any that are
/// no NaN.
std::vector<double> smoothed(const std::vector<double>& values, std::size_t radius);

/// A program's ranks among those of its round that can be compared, 1 is the best.
struct RankedPrediction {
  const PredictedProgram* program = nullptr;
  int predicted = 0, measured = 0;
};
/// In the order of prediction. Ties: the earlier program is better, as in recallAt().
std::vector<RankedPrediction> ranksOf(const std::vector<const PredictedProgram*>& round);

} // namespace nestwright
