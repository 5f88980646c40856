#include "core/feature/program_features.h"

#include "core/feature/task_flags.h"
#include "core/space/kernel_demand.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"
#include "core/support/parallel.h"

#include <variant>

namespace nestwright {

namespace {

template <class T, class More>
void append(std::vector<T>& list, const More& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// One for each statement, of the machine that the program is for.
using LoweredRows = std::variant<std::vector<LoweredRow>, std::vector<GpuRow>>;

LoweredRows loweredRows(const State& state, const Bounds& bounds,
                        const std::vector<std::string>& statements,
                        const LoweredFeatureOptions& options) {
  LowerOptions lowering = options.lowering;
  lowering.unroll = false;
  const LoopFunction function = lower(state, lowering);
  if (!lowering.gpu) return loweredFeatures(function, statements, options);
  const std::vector<double> registers = registersOf(kernelDemands(state, bounds, *lowering.gpu));
  return gpuFeatures(function, statements, registers, *lowering.gpu);
}

/// Without words.
ProgramFeatures featuresOfSteps(const Steps& steps, const FeatureChoice& choice) {
  ProgramFeatures result{choice, {}, {}, {}};
  result.values = stepRows(steps, *choice.steps, result.counts);
  return result;
}

constexpr std::string_view kFlags = ",flags";

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError(fmt::format(
      "there are no features '{}'; choose paper (the 164 of Ansor), lowered (of the program as "
      "executed), paper,lowered, any of these with ,flags (what kind of work the task is), or "
      "steps (the schedule's, as TLP reads them; steps,fit: as many and as wide as the data has)",
      text));
}

/// "steps" with nothing, or with what stepFeaturesText() put there, behind it.
PrimitiveEncoder encoderFrom(std::string_view text, bool gpu) {
  const std::string_view own = text.substr(kSteps.size());
  if (own.empty() || text == kFittedSteps) {
    PrimitiveVocabulary vocabulary = publishedVocabulary(gpu);
    const PrimitiveShape shape = publishedShape(vocabulary, gpu);
    return {std::move(vocabulary), shape};
  }
  const nlohmann::json json = nlohmann::json::parse(own, nullptr, false);
  try {
    return {primitiveVocabularyFromJson(json.at("vocabulary")),
            {json.at("steps").get<std::size_t>(), json.at("columns").get<std::size_t>()}};
  } catch (const nlohmann::json::exception&) {
    refuse(text);
  }
}

} // namespace

std::size_t FeatureChoice::columns() const {
  if (steps) return steps->shape().columns;
  const std::size_t ofLowered = gpu ? kGpuFeatureCount : kLoweredFeatureCount;
  return (paper ? kFeatureCount : 0) + (lowered ? ofLowered : 0) + (flags ? kTaskFlagColumns : 0);
}

bool FeatureChoice::operator==(const FeatureChoice& other) const {
  if (!steps || !other.steps)
    return !steps && !other.steps && paper == other.paper && lowered == other.lowered &&
           gpu == other.gpu && flags == other.flags;
  return steps->vocabulary() == other.steps->vocabulary() && steps->shape() == other.steps->shape();
}

FeatureChoice featureChoice(std::string_view text, const TargetFacts& target) {
  const bool gpu = target.gpu.has_value();
  if (isOfSteps(text))
    return {false, false, gpu, false,
            std::make_shared<const PrimitiveEncoder>(encoderFrom(text, gpu))};
  std::string_view rows = text;
  const bool flags = rows.ends_with(kFlags);
  if (flags) rows.remove_suffix(kFlags.size());
  if (rows == "paper") return {true, false, gpu, flags};
  if (rows == "lowered") return {false, true, gpu, flags};
  if (rows == "paper,lowered") return {true, true, gpu, flags};
  refuse(text);
}

std::string stepFeaturesText(const PrimitiveEncoder& encoder) {
  const nlohmann::json own = {{"vocabulary", toJson(encoder.vocabulary())},
                              {"steps", encoder.shape().steps},
                              {"columns", encoder.shape().columns}};
  return fmt::format("{} {}", kSteps, own.dump());
}

bool isOfSteps(std::string_view text) {
  return text == kSteps || text == kFittedSteps || text.starts_with("steps {");
}

std::vector<std::string> featureNames(const FeatureChoice& choice) {
  if (choice.steps) return primitiveColumnNames(choice.steps->vocabulary(), choice.steps->shape());
  std::vector<std::string> names;
  if (choice.paper) append(names, featureNames());
  if (choice.lowered && choice.gpu) append(names, gpuFeatureNames());
  if (choice.lowered && !choice.gpu) append(names, loweredFeatureNames());
  if (choice.flags) append(names, taskFlagNames());
  return names;
}

std::vector<std::string> featureMeanings(const FeatureChoice& choice) {
  if (choice.steps)
    return primitiveColumnMeanings(choice.steps->vocabulary(), choice.steps->shape());
  std::vector<std::string> meanings;
  if (choice.paper) append(meanings, featureMeanings());
  if (choice.lowered && choice.gpu) append(meanings, gpuFeatureMeanings());
  if (choice.lowered && !choice.gpu) append(meanings, loweredFeatureMeanings());
  if (choice.flags) append(meanings, taskFlagMeanings());
  return meanings;
}

std::vector<float> stepRows(const Steps& steps, const PrimitiveEncoder& encoder,
                            PrimitiveCounts& counts) {
  std::vector<float> rows;
  encoder.append(steps, rows, counts);
  return rows;
}

ProgramFeatures programFeatures(const State& state, const ProgramFeatureOptions& options) {
  const FeatureChoice& choice = options.choice;
  if (choice.steps) {
    ProgramFeatures result = featuresOfSteps(state.steps(), choice);
    for (std::size_t i = 0; i < result.values.size() / choice.columns(); ++i) {
      result.stages.push_back(fmt::format("step {}", i + 1));
      result.statements.push_back(inWords(state.steps()[i]));
    }
    return result;
  }
  NW_ASSERT(choice.gpu == options.lowered.lowering.gpu.has_value(),
            "features of one kind of machine for programs of the other");
  const Bounds bounds = inferBounds(state);
  std::vector<StatementFeatures> paper;
  ProgramFeatures result{choice, {}, {}, {}};
  if (choice.paper) {
    paper = statementFeatures(state, bounds, options.paper);
    for (const StatementFeatures& row : paper) {
      result.stages.push_back(row.stage);
      result.statements.push_back(row.statement);
    }
  } else {
    for (int i = 0; i < state.stageCount(); ++i)
      if (!state.stage(i).isPlaceholder() && state.stage(i).location != ComputeLocation::Inlined)
        result.stages.push_back(state.stage(i).name());
    result.statements = result.stages;
  }
  LoweredRows lowered;
  if (choice.lowered) lowered = loweredRows(state, bounds, result.statements, options.lowered);
  result.values.reserve(result.stages.size() * choice.columns());
  for (std::size_t i = 0; i < result.stages.size(); ++i) {
    if (choice.paper) append(result.values, paper[i].values);
    std::visit(
        [&](const auto& rows) {
          if (choice.lowered) append(result.values, rows[i]);
        },
        lowered);
  }
  if (choice.flags)
    result.values = withColumns(result.values, choice.columns() - kTaskFlagColumns,
                                taskFlags(state.originalDag()));
  return result;
}

std::vector<ProgramFeatures> programFeatures(std::span<const State> programs,
                                             const ProgramFeatureOptions& options,
                                             unsigned threads) {
  std::vector<ProgramFeatures> result(programs.size());
  parallelFor(programs.size(), threads, [&](std::size_t i) {
    try {
      result[i] = options.choice.steps ? featuresOfSteps(programs[i].steps(), options.choice)
                                       : programFeatures(programs[i], options);
    } catch (const Error&) {
      result[i] = {}; // such programs are met in a search; the model sees that they have no rows
    }
  });
  return result;
}

} // namespace nestwright
