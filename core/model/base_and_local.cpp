#include "core/model/base_and_local.h"

#include "core/model/thinning.h"
#include "core/model/training_fit.h"
#include "core/support/quantity.h"

#include <cmath>

namespace nestwright {

namespace {

constexpr const char* kLocalName = "base and local";

} // namespace

BaseAndLocal::BaseAndLocal(TrainedBase base, ModelMaker makeLocal, const LocalOptions& options)
    : base_(std::move(base)), makeLocal_(std::move(makeLocal)), options_(options) {}

bool BaseAndLocal::scoresAreThroughputs() const {
  return local_ || base_.model->scoresAreThroughputs();
}

std::vector<ModelTerm> BaseAndLocal::terms() const {
  std::vector<ModelTerm> terms = {{base_.model.get(), scale_.slope, scale_.offset}};
  if (local_) terms.push_back({local_.get()});
  return terms;
}

Prediction BaseAndLocal::predict(const FeatureTable& batch) const {
  return local_ ? predictSum(terms(), batch) : base_.model->predict(batch);
}

UpdateReport BaseAndLocal::update(const DataSet& set) {
  requireSound(set);
  UpdateReport report;
  report.reason = whyTooFew(set, options_.warmup);
  if (!report.reason.empty()) return report;
  const std::vector<std::size_t> chosen = thin(set, {options_.maxRows, options_.newest});
  DataSet learned = select(set, chosen);
  const std::vector<float> throughputs = select(normalisedThroughput(set), chosen);
  const std::vector<double> scores = base_.model->predict(learned.features).scores;
  LabelScale scale;
  if (!base_.model->scoresAreThroughputs()) scale = fitLabelScale(learned, scores, throughputs);
  for (std::size_t i = 0; i < learned.size(); ++i) {
    const double base = std::isfinite(scores[i]) ? scale.slope * scores[i] + scale.offset : 0;
    learned.labels.push_back(throughputs[i] - static_cast<float>(base));
  }
  std::unique_ptr<CostModel> local = makeLocal_();
  const UpdateReport ofLocal = local->update(learned);
  if (!local->trained()) {
    report.reason = ofLocal.reason;
    return report;
  }
  scale_ = scale;
  local_ = std::move(local);
  report = ofLocal;
  report.kind = UpdateReport::Kind::Full;
  report.reason = fmt::format("by how much the base is wrong about {}",
                              quantity(std::int64_t(learned.size()), "program"));
  report.trainingPeak = 0;
  learned.labels.clear();
  measureFit(learned, throughputs, predict(learned.features).scores, report);
  return report;
}

Explanation BaseAndLocal::explain(const FeatureTable& batch, std::size_t program) const {
  return local_ ? explainSum(terms(), batch, program) : base_.model->explain(batch, program);
}

std::vector<double> BaseAndLocal::importance() const {
  return importanceOfSum(terms());
}

bool BaseAndLocal::importanceIsOfAPart() const {
  return importanceIsOfSomeTerms(terms());
}

std::optional<Attention> BaseAndLocal::attention(const FeatureTable& batch,
                                                 std::size_t program) const {
  return attentionOfSum(terms(), batch, program);
}

std::string BaseAndLocal::save() const {
  return savedOnBase(base_, kLocalName, {{"slope", scale_.slope}, {"offset", scale_.offset}},
                     local_ ? local_->save() : std::string());
}

void BaseAndLocal::load(std::string_view bytes) {
  const SealedModel saved = openedOnBase(base_, kLocalName, bytes);
  const LabelScale scale{savedField<double>(kLocalName, saved.header, "slope"),
                         savedField<double>(kLocalName, saved.header, "offset")};
  std::unique_ptr<CostModel> local;
  if (!saved.bytes.empty()) {
    local = makeLocal_();
    local->load(saved.bytes);
  }
  scale_ = scale;
  local_ = std::move(local);
}

} // namespace nestwright
