#include "core/feature/program_features.h"

#include "core/support/error.h"
#include "core/support/parallel.h"

namespace nestwright {

namespace {

template <class Names>
void append(std::vector<std::string>& list, const Names& names) {
  list.insert(list.end(), names.begin(), names.end());
}

} // namespace

FeatureChoice featureChoice(std::string_view text) {
  if (text == "paper") return {true, false};
  if (text == "lowered") return {false, true};
  if (text == "paper,lowered") return {true, true};
  throw UsageError(fmt::format("there are no features '{}'; choose paper (the 164 of Ansor), "
                               "lowered (of the program as executed), or paper,lowered",
                               text));
}

std::vector<std::string> featureNames(FeatureChoice choice) {
  std::vector<std::string> names;
  if (choice.paper) append(names, featureNames());
  if (choice.lowered) append(names, loweredFeatureNames());
  return names;
}

std::vector<std::string> featureMeanings(FeatureChoice choice) {
  std::vector<std::string> meanings;
  if (choice.paper) append(meanings, featureMeanings());
  if (choice.lowered) append(meanings, loweredFeatureMeanings());
  return meanings;
}

ProgramFeatures programFeatures(const State& state, const ProgramFeatureOptions& options) {
  const FeatureChoice choice = options.choice;
  if (choice.lowered && options.lowered.lowering.gpu)
    throw IllegalSchedule("the lowered features describe programs of a processor, not of a GPU");
  const Bounds bounds = inferBounds(state);
  std::vector<StatementFeatures> paper;
  ProgramFeatures result;
  if (choice.paper) {
    paper = statementFeatures(state, bounds, options.paper);
    for (const StatementFeatures& row : paper)
      result.stages.push_back(row.statement);
  } else {
    for (int i = 0; i < state.stageCount(); ++i)
      if (!state.stage(i).isPlaceholder() && state.stage(i).location != ComputeLocation::Inlined)
        result.stages.push_back(state.stage(i).name());
  }
  std::vector<LoweredRow> lowered;
  if (choice.lowered) {
    LowerOptions lowering = options.lowered.lowering;
    lowering.unroll = false;
    lowered = loweredFeatures(lower(state, lowering), result.stages, options.lowered);
  }
  result.values.reserve(result.stages.size() * choice.columns());
  for (std::size_t i = 0; i < result.stages.size(); ++i) {
    if (choice.paper)
      result.values.insert(result.values.end(), paper[i].values.begin(), paper[i].values.end());
    if (choice.lowered)
      result.values.insert(result.values.end(), lowered[i].begin(), lowered[i].end());
  }
  return result;
}

std::vector<ProgramFeatures> programFeatures(std::span<const State> programs,
                                             const ProgramFeatureOptions& options,
                                             unsigned threads) {
  std::vector<ProgramFeatures> result(programs.size());
  parallelFor(programs.size(), threads, [&](std::size_t i) {
    try {
      result[i] = programFeatures(programs[i], options);
    } catch (const Error&) {
      result[i] = {}; // such programs are met in a search; the model sees that they have no rows
    }
  });
  return result;
}

} // namespace nestwright
