#pragma once
/// \file What can be told of a session's subjects before there is a session: their tasks and work,
/// what a network file asks for in vain, what record files know of these very tasks on the target,
/// and how many trials are worth while.

#include "core/measure/measure.h"
#include "core/network/onnx/onnx_survey.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace nestwright {

/// What was asked for.
struct PreviewWish {
  std::vector<std::string> subjects; // as SessionConfig's
  std::string target = "llvm";
  MeasureOptions measure{};
  WorkerLaunch launch{};             // that would measure
  bool isElsewhere = false;          // measured by a machine of which nothing is known here
  std::vector<std::string> memory{}; // record files; those that are not there know nothing
};

/// The best program that the memory has of exactly a task, on exactly the target.
struct KnownBest {
  double seconds = std::numeric_limits<double>::infinity();
  std::int64_t trials = 0; // spent on the task in all files of the memory
  std::string file;        // that has it; empty when none has
  bool isKnown() const { return !file.empty(); }
};

struct PreviewedTask {
  std::string name;
  double weight = 1; // appearances in all subjects
  double flops = 0;  // of one run
  KnownBest known;
};

struct SubjectPreview {
  std::vector<PreviewedTask> tasks; // of all subjects, each once, the most work first
  double unsearched = 0;            // kernels beside them that only move or map elements
  /// What the subjects cannot be read for, as resolveSubjects() says it; then there are no tasks.
  std::string problem;
  std::vector<UnsupportedOperator> unsupported; // of a network file that `problem` is of
  std::string unsupportedIn;                    // that subject; empty where there are none
  std::string targetProblem;      // why nothing is known of the target; empty when it is known
  std::string missingInstruction; // missing_instruction.h; empty, too, where that is not known
  double secondsPerTrial = 0;     // that sessions of the memory took on the target; 0: not known
  std::int64_t suggestedTrials = 0;

  double flops() const; // of one run of all subjects
  std::size_t knownTasks() const;
  /// Sum of weight × best; infinity unless each task is known.
  double knownSeconds() const;
};

/// Trials that Ansor's authors gave each task of a network, "typically enough to converge" (Ansor,
/// section 7.3).
inline constexpr std::int64_t kFullTrialsPerTask = 1000;
/// Also for a task that the memory knows well: four rounds.
inline constexpr std::int64_t kLeastTrialsPerTask = 64;

/// Reads the subjects and the memory; `check` is called between two steps, and may throw to stop.
/// What is wrong with a subject is no exception but part of the answer. Suggests for each task what
/// is left of kFullTrialsPerTask after the trials that it had.
SubjectPreview previewSubjects(
    const PreviewWish& wish, const std::function<void()>& check = [] {});

} // namespace nestwright
