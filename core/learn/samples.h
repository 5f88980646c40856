#pragma once
/// \file From a data set to what a network learns from: programs with a label a head.

#include "core/learn/training_options.h"
#include "core/model/data_set.h"

#include <string>
#include <vector>

namespace nestwright {

/// Indices into a data set.
struct TrainingParts {
  std::vector<std::size_t> train;      // learned from
  std::vector<std::size_t> validation; // says after each epoch how well
};

/// Programs to learn from, then programs to validate with.
struct Samples {
  std::vector<std::size_t> programs; // where in the data set their features are
  std::size_t train = 0;             // the first so many are to learn from
  std::vector<std::string> machines; // one a head
  /// One a head and program: the best time on its machine of the program's task, in the whole set,
  /// divided by its own; 0 for a failed one; but the set's own labels where it has any. Not a
  /// number where the program was not measured there, where its task had no program that ran (it
  /// teaches nothing, C40), and where it is masked.
  std::vector<float> labels;
  std::size_t heads() const { return machines.size(); }
  std::size_t validation() const { return programs.size() - train; }
  /// Of the programs, their features and labels, in their order.
  std::string hash(const DataSet& set) const;
};

/// For mtl-tlp the same program of several machines is one sample. Throws InputError when the set
/// has faults (C40), when it is of several machines and the network has one head, and when nothing
/// is left to learn from.
Samples samplesOf(const DataSet& set, const TrainingParts& parts, const TrainingOptions& options);

} // namespace nestwright
