#pragma once
/// \file How a program is timed: the evaluators that people choose (handbook/cost-models.md 4.2).

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nestwright {

/// What an evaluator does.
enum class EvaluatorKind : std::uint8_t {
  Repeats,  // a few repeats of a least length (MeasureOptions)
  Fixed,    // micro-batches until all runs are made
  Adaptive, // micro-batches until their speeds agree
};

/// "repeats", "fixed", "adaptive".
const char* name(EvaluatorKind kind);

/// Whose coefficient of variation an adaptive evaluator looks at.
enum class SpeedEstimate : std::uint8_t {
  Batch,      // of each micro-batch, the extremes left out beyond four: AdaTune's code
  Cumulative, // since the start, after each micro-batch: AdaTune's paper
};
/// "batch", "cumulative".
const char* name(SpeedEstimate speed);

/// A micro-batch is a number of runs that are timed together.
struct Evaluator {
  EvaluatorKind kind = EvaluatorKind::Repeats;
  // Of those with micro-batches:
  int runs = 500;      // at most
  int batch = 50;      // of a micro-batch
  double seconds = 0;  // of all micro-batches, at most; 0: as long as a measurement may take
  double hopeless = 0; // ends after one that is so many times slower than the best; 0: never
  // Of adaptive ones:
  double cv = 0.1; // below which the speeds agree
  int least = 3;   // micro-batches that there must be
  SpeedEstimate speed = SpeedEstimate::Batch;

  bool hasBatches() const { return kind != EvaluatorKind::Repeats; }
  /// Micro-batches that all runs make.
  int mostBatches() const { return runs / batch; }
  friend bool operator==(const Evaluator&, const Evaluator&) = default;
};

/// "fixed", "fixed:runs=500,batch=50,seconds=2",
/// "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch": with all options but those that are
/// off, so that it means the same in every version.
std::string toText(const Evaluator& evaluator);
/// The inverse, in which options may be missing: "adaptive". Throws UsageError that says what is
/// wrong.
Evaluator evaluatorFromText(std::string_view text);

/// The text.
nlohmann::json toJson(const Evaluator& evaluator);
/// Throws InputError.
Evaluator evaluatorFromJson(const nlohmann::json& json);

/// For lists.
struct EvaluatorInfo {
  const char* name;
  const char* example; // with its options
  const char* purpose; // one sentence
};
std::span<const EvaluatorInfo> evaluatorInfos();

} // namespace nestwright
