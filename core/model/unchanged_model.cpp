#include "core/model/unchanged_model.h"

namespace nestwright {

namespace {

constexpr const char* kUnchangedName = "unchanged";

} // namespace

Prediction UnchangedModel::predict(const FeatureTable& batch) const {
  return base_.model->predict(batch);
}

UpdateReport UnchangedModel::update(const DataSet& set) {
  requireSound(set);
  UpdateReport report;
  report.reason = "the trained model stays as it is";
  return report;
}

Explanation UnchangedModel::explain(const FeatureTable& batch, std::size_t program) const {
  return base_.model->explain(batch, program);
}

std::string UnchangedModel::save() const {
  return savedOnBase(base_, kUnchangedName, nlohmann::json::object(), {});
}

void UnchangedModel::load(std::string_view bytes) {
  openedOnBase(base_, kUnchangedName, bytes);
}

} // namespace nestwright
