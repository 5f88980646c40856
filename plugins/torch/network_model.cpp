#include "plugins/torch/network_model.h"

#include "core/learn/train.h"
#include "core/model/thinning.h"
#include "core/model/training_fit.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <mutex>
#include <numeric>

namespace nestwright::torch_models {
namespace {

/// One process for all models of this one.
Learner& sharedLearner() {
  static Learner learner;
  return learner;
}

/// The learner has one training at a time.
std::mutex& trainingMutex() {
  static std::mutex mutex;
  return mutex;
}

void measureUpdate(const DataSet& whole, const std::vector<std::size_t>& chosen,
                   const NetworkModel& model, bool scaled, UpdateReport& report) {
  const DataSet set = select(whole, chosen);
  measureFit(set, labelsToLearn(set), model.predict(set.features).scores, report);
  if (!scaled) report.trainingRmse.reset();
  report.programs = set.size();
  report.rows = set.features.rows();
}

/// The first head is the one that predicts: it is what goes on learning, on whichever machine the
/// set is of.
std::vector<std::string> headsOn(const DataSet& set, std::vector<std::string> heads) {
  if (!heads.empty() && !set.outcomes.empty())
    heads.front() = set.machines[set.outcomes.front().machine];
  return heads;
}

} // namespace

NetworkModel::NetworkModel(Architecture architecture, NetworkOptions options)
    : architecture_(architecture), options_(std::move(options)) {}

const TrainedNetwork& NetworkModel::requireReadable(const FeatureTable& batch) const {
  if (!trained_) throw InputError(fmt::format("the {} model has not learned anything yet", name()));
  const std::size_t columns = trained_->network.shape.columns;
  if (batch.columns() != columns)
    throw InputError(fmt::format("the {} model reads {} a row, these rows have {}", name(),
                                 quantity(std::int64_t(columns), "feature"), batch.columns()));
  return *trained_;
}

bool NetworkModel::scoresAreThroughputs() const {
  if (!trained_) return true;
  const Loss loss = trained_->options.step.loss;
  return loss == Loss::Mse || loss == Loss::PlainMse;
}

Prediction NetworkModel::predict(const FeatureTable& batch) const {
  const TrainedNetwork& trained = requireReadable(batch);
  Prediction prediction;
  if (batch.empty()) return prediction;
  prediction.scores =
      scoresOf(trained, sharedLearner().score(trained.network, batch, options_.threads), batch);
  return prediction;
}

UpdateReport NetworkModel::update(const DataSet& set) {
  requireSound(set);
  UpdateReport report;
  if (!trained_) report.reason = whyTooFew(set, options_.warmup);
  if (!report.reason.empty()) return report;
  const bool first = !trained_ || trained_->network.shape.columns != set.features.columns();
  const std::vector<std::size_t> chosen = thin(set, {options_.maxRows, options_.newest});
  TrainingOptions options = updateOptions(options_, architecture_, chosen.size(), first);
  if (!first) {
    options.machines = headsOn(set, trained_->machines);
    if (trained_->network.shape.ofSteps()) options.length = trained_->network.shape.length;
    options.step.loss = trained_->options.step.loss; // its scores keep their meaning
    options.hidden = trained_->options.hidden;
  }
  report.kind = first ? UpdateReport::Kind::Full : UpdateReport::Kind::Incremental;
  report.reason = !trained_ ? "the first training"
                  : first   ? "the features are others"
                            : quantity(options.epochs, "epoch") + " more";
  const TrainingJob job{set, {chosen, {}}, options, first ? nullptr : &*trained_, {}, false};
  {
    const std::lock_guard lock(trainingMutex());
    trained_ = train(sharedLearner(), job, {});
  }
  measureUpdate(set, chosen, *this, scoresAreThroughputs(), report);
  return report;
}

Explanation NetworkModel::explain(const FeatureTable& batch, std::size_t program) const {
  const TrainedNetwork& trained = requireReadable(batch);
  Explanation explanation;
  explanation.columns = batch.columns();
  if (batch.blank(program)) {
    explanation.score = kUnknownProgram;
    return explanation;
  }
  const std::size_t one[] = {program};
  explanation.score = predict(select(batch, one)).scores.front();
  explanation.contributions = sharedLearner().explain(trained.network, batch, program, 0);
  const double explained =
      std::accumulate(explanation.contributions.begin(), explanation.contributions.end(), 0.0);
  const std::size_t rows = batch.rowCount(program);
  explanation.bias.assign(
      rows, static_cast<float>((explanation.score - explained) / static_cast<double>(rows)));
  return explanation;
}

std::optional<Attention> NetworkModel::attention(const FeatureTable& batch,
                                                 std::size_t program) const {
  const TrainedNetwork& trained = requireReadable(batch);
  if (!trained.network.shape.ofSteps() || batch.blank(program)) return std::nullopt;
  return sharedLearner().attention(trained.network, batch, program);
}

std::string NetworkModel::save() const {
  if (!trained_)
    throw InputError(
        fmt::format("the {} model has not learned anything that could be saved", name()));
  return toBytes(*trained_);
}

void NetworkModel::load(std::string_view bytes) {
  trained_ = trainedNetworkFromBytes(bytes, architecture_);
}

} // namespace nestwright::torch_models
