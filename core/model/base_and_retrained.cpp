#include "core/model/base_and_retrained.h"

#include "core/model/thinning.h"
#include "core/model/training_fit.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

constexpr const char* kRetrainedName = "base and retrained";

ModelTerm weighted(const CostModel& model, const LabelScale& scale, double weight) {
  return {&model, weight * scale.slope, weight * scale.offset};
}

LabelScale scaleFrom(const nlohmann::json& header, const char* slope, const char* offset) {
  return {savedField<double>(kRetrainedName, header, slope),
          savedField<double>(kRetrainedName, header, offset)};
}

} // namespace

double baseShare(std::size_t programs) {
  constexpr double kHalf = 128, kLeast = 0.25;
  return std::max(kLeast, kHalf / (kHalf + static_cast<double>(programs)));
}

BaseAndRetrained::BaseAndRetrained(TrainedBase base, ModelMaker make)
    : base_(std::move(base)), make_(std::move(make)), other_(make_()) {}

bool BaseAndRetrained::scoresAreThroughputs() const {
  return isMixed() || base_.model->scoresAreThroughputs();
}

std::vector<ModelTerm> BaseAndRetrained::terms() const {
  return {weighted(*base_.model, mix_.ofBase, mix_.share),
          weighted(*other_, mix_.ofOther, 1 - mix_.share)};
}

LabelScale BaseAndRetrained::scaleOf(const CostModel& model, const DataSet& set,
                                     const std::vector<float>& throughputs) const {
  if (model.scoresAreThroughputs()) return {};
  return fitLabelScale(set, model.predict(set.features).scores, throughputs);
}

Prediction BaseAndRetrained::predict(const FeatureTable& batch) const {
  return isMixed() ? predictSum(terms(), batch) : base_.model->predict(batch);
}

UpdateReport BaseAndRetrained::update(const DataSet& set) {
  UpdateReport report = other_->update(set); // the other one alone decides how
  if (!isMixed()) return report;
  const std::vector<std::size_t> chosen = thin(set, {});
  const DataSet learned = select(set, chosen);
  const std::vector<float> throughputs = select(normalisedThroughput(set), chosen);
  mix_ = {scaleOf(*base_.model, learned, throughputs), scaleOf(*other_, learned, throughputs),
          baseShare(countUsable(set))};
  report.reason += fmt::format("; the base counts {:.2f}", mix_.share);
  report.trainingPeak = 0;
  measureFit(learned, throughputs, predict(learned.features).scores, report);
  return report;
}

Explanation BaseAndRetrained::explain(const FeatureTable& batch, std::size_t program) const {
  return isMixed() ? explainSum(terms(), batch, program) : base_.model->explain(batch, program);
}

std::vector<double> BaseAndRetrained::importance() const {
  return isMixed() ? importanceOfSum(terms()) : base_.model->importance();
}

bool BaseAndRetrained::importanceIsOfAPart() const {
  return isMixed() && importanceIsOfSomeTerms(terms());
}

std::optional<Attention> BaseAndRetrained::attention(const FeatureTable& batch,
                                                     std::size_t program) const {
  return isMixed() ? attentionOfSum(terms(), batch, program)
                   : base_.model->attention(batch, program);
}

std::string BaseAndRetrained::save() const {
  return savedOnBase(base_, kRetrainedName,
                     {{"share", mix_.share},
                      {"base_slope", mix_.ofBase.slope},
                      {"base_offset", mix_.ofBase.offset},
                      {"slope", mix_.ofOther.slope},
                      {"offset", mix_.ofOther.offset}},
                     isMixed() ? other_->save() : std::string());
}

void BaseAndRetrained::load(std::string_view bytes) {
  const SealedModel saved = openedOnBase(base_, kRetrainedName, bytes);
  Mix mix{scaleFrom(saved.header, "base_slope", "base_offset"),
          scaleFrom(saved.header, "slope", "offset"),
          savedField<double>(kRetrainedName, saved.header, "share")};
  std::unique_ptr<CostModel> other = make_();
  if (!saved.bytes.empty()) other->load(saved.bytes);
  mix_ = mix;
  other_ = std::move(other);
}

} // namespace nestwright
