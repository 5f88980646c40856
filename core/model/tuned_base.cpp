#include "core/model/tuned_base.h"

#include "core/model/training_fit.h"

namespace nestwright {

namespace {

constexpr const char* kTunedName = "fine-tuned";

} // namespace

TunedBase::TunedBase(TrainedBase base, ModelMaker make, std::size_t warmup)
    : base_(std::move(base)), make_(std::move(make)), warmup_(warmup) {}

UpdateReport TunedBase::update(const DataSet& set) {
  requireSound(set);
  UpdateReport report;
  report.reason = whyTooFew(set, warmup_);
  if (!report.reason.empty()) return report;
  std::unique_ptr<CostModel> tuned = make_();
  tuned->load(base_.bytes);
  report = tuned->update(set);
  tuned_ = std::move(tuned);
  return report;
}

std::string TunedBase::save() const {
  return savedOnBase(base_, kTunedName, nlohmann::json::object(),
                     tuned_ ? tuned_->save() : std::string());
}

void TunedBase::load(std::string_view bytes) {
  const SealedModel saved = openedOnBase(base_, kTunedName, bytes);
  std::unique_ptr<CostModel> tuned;
  if (!saved.bytes.empty()) {
    tuned = make_();
    tuned->load(saved.bytes);
  }
  tuned_ = std::move(tuned);
}

} // namespace nestwright
