#include "core/model/cost_model.h"

#include "core/support/error.h"

namespace nestwright {

const CostModel& CostModel::ofTask(std::string_view /*task*/) const {
  return *this;
}

std::optional<Attention> CostModel::attention(const FeatureTable& /*batch*/,
                                              std::size_t /*program*/) const {
  return std::nullopt;
}

UpdateReport CostModel::learnHistory(const DataSet& /*set*/) {
  throw UsageError(fmt::format("the cost model {} takes nothing from other tasks' records; autotvm "
                               "does",
                               name()));
}

UpdateReport CostModel::learn(const DataSet& set, std::span<const std::size_t> programs,
                              const LearningWatch& watch) {
  if (watch && !watch({0, 1, 0})) return {.reason = "it was told to stop"};
  return update(select(set, programs));
}

std::vector<double> Explanation::byFeature() const {
  std::vector<double> sums(columns, 0);
  for (std::size_t i = 0; i < contributions.size(); ++i)
    sums[i % columns] += static_cast<double>(contributions[i]);
  return sums;
}

std::vector<double> Explanation::byRow() const {
  if (columns == 0) return {};
  std::vector<double> sums(contributions.size() / columns, 0);
  for (std::size_t i = 0; i < contributions.size(); ++i)
    sums[i / columns] += static_cast<double>(contributions[i]);
  return sums;
}

const char* name(UpdateReport::Kind kind) {
  switch (kind) {
  case UpdateReport::Kind::Skipped:
    return "skipped";
  case UpdateReport::Kind::Incremental:
    return "incremental";
  case UpdateReport::Kind::Full:
    return "full";
  }
  return "";
}

} // namespace nestwright
