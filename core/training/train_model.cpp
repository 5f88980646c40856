#include "core/training/train_model.h"

#include "core/feature/program_features.h"
#include "core/learn/samples.h"
#include "core/model/metrics.h"
#include "core/plugin/plugin.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/store.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"
#include "core/support/version.h"
#include "core/training/training_files.h"
#include "core/worker/quiet.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace nestwright {

namespace {

using nlohmann::json;
using Indices = std::vector<std::size_t>;

constexpr NameTable<TrainingPhase, 3> kPhases{{"reading", "training", "judging"}};

/// The choice by which the records of a wish are read.
DataChoice readingChoice(const ModelWish& wish) {
  DataChoice choice = wish.data;
  if (!wish.startFrom.empty())
    choice.features = readModelFile(wish.startFrom).features;
  else if (choice.features.empty())
    choice.features = publishedFeatures(wish.model);
  if (!wish.helpers.empty()) {
    choice.target.clear();
    choice.acrossTargets = true;
  }
  return choice;
}

/// Those of the wish; one while a session runs, which comes first.
int threadsNow(const ModelWish& wish) {
  return wish.niceness > 0 && isSessionRunning() ? 1 : wish.threads;
}

std::string targetsText(const RecordedData& data) {
  std::vector<std::string> targets;
  for (const DataTarget& target : data.targets)
    targets.push_back(
        fmt::format("{} of {} ({})", quantity(target.records, "record"), target.id, target.text));
  return fmt::format("{}", fmt::join(targets, "; "));
}

std::size_t targetNamed(const RecordedData& data, const std::string& meant) {
  Indices found;
  for (std::size_t i = 0; i < data.targets.size(); ++i)
    if (isTargetMeant(data.targets[i], meant)) found.push_back(i);
  // A whole id is no part of another.
  for (const std::size_t i : found)
    if (data.targets[i].id == meant) return i;
  if (found.size() == 1) return found.front();
  throw UsageError(fmt::format("\"{}\" names {} of the targets of the data; there are {}", meant,
                               found.empty() ? "none" : "several", targetsText(data)));
}

/// While a network is trained, and as long as there is a checkpoint, the wish lies beside it.
class KeptWish {
 public:
  explicit KeptWish(ModelWish wish)
      : checkpoint_(wish.checkpoint), model_(modelOfCheckpoint(wish.checkpoint)) {
    wish.resume = true;
    for (std::string& file : wish.data.files)
      file = std::filesystem::absolute(file); // who goes on may stand in another folder
    for (std::string* file : {&wish.startFrom, &wish.checkpoint})
      if (!file->empty()) *file = std::filesystem::absolute(*file);
    if (!checkpoint_.empty()) writeWish(model_, wish);
  }
  ~KeptWish() {
    std::error_code unknown;
    if (!checkpoint_.empty() && !std::filesystem::exists(checkpoint_, unknown))
      std::filesystem::remove(wishFileOf(model_), unknown);
  }
  KeptWish(const KeptWish&) = delete;
  KeptWish& operator=(const KeptWish&) = delete;

 private:
  std::string checkpoint_, model_;
};

/// Nothing for a model that has no file.
std::unique_ptr<OwnLock> onlyTrainingOf(const ModelWish& wish) {
  return wish.checkpoint.empty() ? nullptr : lockTraining(modelOfCheckpoint(wish.checkpoint));
}

/// Trains one model from records that are there.
class ModelTraining {
 public:
  ModelTraining(const TrainingRecords& records, const ModelWish& wish,
                const ModelObserver& observer, std::stop_token stop)
      : records_(records), data_(records.data), wish_(wish), observer_(observer),
        stop_(std::move(stop)), options_(settledOptions(wish)) {}

  ModelFile run() {
    requireFreshCheckpoint();
    requireFreeEpochs();
    parts_ = partsOf(data_, wish_.data, records_.heldOut);
    chooseHeads();
    requireUsable(data_, parts_, wish_.data);
    describe();
    tellData();
    tellPhase(TrainingPhase::Training);
    if (isNetwork(wish_.model))
      trainNetwork();
    else
      growTrees();
    return std::move(file_);
  }

 private:
  void requireFreshCheckpoint() const {
    if (!wish_.resume && !wish_.checkpoint.empty() && std::filesystem::exists(wish_.checkpoint))
      throw UsageError(fmt::format("{} keeps a training that was interrupted: go on with it "
                                   "(--resume), or remove the file to begin anew",
                                   wish_.checkpoint));
  }

  /// One that is gone on with may write its last one again.
  void requireFreeEpochs() const {
    if (!wish_.keepEpochs || (wish_.resume && std::filesystem::exists(wish_.checkpoint))) return;
    for (int epoch = 1; epoch <= options_.at("epochs").get<int>(); ++epoch)
      if (const std::string file = epochFile(epoch); std::filesystem::exists(file))
        throw UsageError(fmt::format("{} is there already, the network of an epoch: choose another "
                                     "name for the model, or remove it",
                                     file));
  }

  std::string epochFile(int epoch) const {
    return epochFileOf(modelOfCheckpoint(wish_.checkpoint), epoch);
  }

  /// The targets to learn from, the model's own first; the parts lose the programs of others.
  void chooseHeads() {
    if (wish_.helpers.empty()) {
      std::vector<bool> isThere(data_.targets.size());
      for (const std::size_t i : parts_.train)
        isThere[data_.set.outcomes[i].machine] = true;
      for (std::size_t target = 0; target < isThere.size(); ++target)
        if (isThere[target]) heads_.push_back(target);
    } else {
      heads_.push_back(targetNamed(data_, wish_.data.target));
      for (const std::string& helper : wish_.helpers) {
        const std::size_t target = targetNamed(data_, helper);
        if (std::ranges::find(heads_, target) != heads_.end())
          throw UsageError(fmt::format("\"{}\" is {}, which is named already: each target has one "
                                       "head",
                                       helper, data_.targets[target].id));
        heads_.push_back(target);
      }
    }
    if (heads_.size() > 1 && wish_.helpers.empty())
      throw InputError(fmt::format(
          "the records to learn from are of {} targets, and {} learns for one: {}. Choose it with "
          "--target{}",
          heads_.size(), wish_.model, targetsText(data_),
          takesHelpers(wish_.model) ? ", and those that help with --helper"
                                    : "; the model mtl-tlp takes the others as --helper"));
    const auto isOfAnother = [&](std::size_t i) {
      return std::ranges::find(heads_, data_.set.outcomes[i].machine) == heads_.end();
    };
    std::erase_if(parts_.train, isOfAnother);
    std::erase_if(parts_.validation, isOfAnother);
    if (wish_.data.split != SplitKind::ByTarget && !heads_.empty())
      std::erase_if(parts_.test,
                    [&](std::size_t i) { return data_.set.outcomes[i].machine != heads_.front(); });
  }

  void describe() {
    file_.model = wish_.model;
    file_.features = data_.features;
    file_.choice = wish_.data;
    file_.leaks = parts_.leaks;
    file_.product = versionText();
    file_.options = options_;
    file_.fineTune = wish_.fineTune;
    file_.targetRecords = wish_.targetRecords;
    file_.programs = parts_.train.size();
    file_.validated = parts_.validation.size();
    for (const std::size_t head : heads_)
      file_.targets.push_back({data_.targets[head].id, data_.targets[head].text, 0});
    for (const std::size_t i : parts_.train) {
      const Outcome& outcome = data_.set.outcomes[i];
      const auto head = std::ranges::find(heads_, outcome.machine) - heads_.begin();
      ++file_.targets[static_cast<std::size_t>(head)].programs;
      const DataTask& task = data_.tasks[outcome.task];
      file_.tasks.insert(task.definition);
      if (!task.kind.empty()) file_.kinds.insert(task.kind);
    }
    file_.target = file_.targets.front().id;
    file_.targetText = file_.targets.front().text;
  }

  void tellData() const {
    if (observer_.dataReady)
      observer_.dataReady(
          {data_, parts_, surveyOf(data_, parts_, records_.heldOut), file_.targets});
    const auto warn = [&](const std::string& sentence) {
      if (observer_.warned && !sentence.empty()) observer_.warned(sentence);
    };
    if (isOfSteps(data_.features)) {
      const FeatureChoice choice =
          featureChoice(data_.features, data_.targets[heads_.front()].facts);
      warn(cutWarning(data_.primitives, choice.steps->shape()));
      warn(unknownText(data_.primitives));
    }
    if (data_.intake.withoutFeatures > 0)
      warn(fmt::format("{} cannot be executed by this version: nothing is known of them but their "
                       "times",
                       quantity(data_.intake.withoutFeatures, "program")));
  }

  void tellPhase(TrainingPhase phase) const {
    if (observer_.phase) observer_.phase(phase, 0);
  }

  void requireGoingOn() const {
    if (stop_.stop_requested()) throw LearnerStopped();
  }

  // --- what is learned from

  void countLabels(const Samples& samples) {
    const std::size_t heads = samples.heads();
    for (std::size_t head = 0; head < heads; ++head) {
      std::size_t& labelled = file_.targets[head].labelled.emplace(0);
      for (std::size_t i = 0; i < samples.train; ++i)
        labelled += std::isnan(samples.labels[i * heads + head]) ? 0 : 1;
    }
  }

  /// A set of one machine where the model learns from one; what was read is the same but where the
  /// split is by target.
  const DataSet& learningSet() {
    if (heads_.size() > 1 || data_.set.machines.size() == 1) return data_.set;
    Indices own;
    std::map<std::size_t, std::size_t> places;
    for (std::size_t i = 0; i < data_.set.size(); ++i)
      if (data_.set.outcomes[i].machine == heads_.front()) {
        places[i] = own.size();
        own.push_back(i);
      }
    for (Indices* part : {&learned_.train, &learned_.validation})
      for (std::size_t& i : *part)
        i = places.at(i);
    ownSet_ = select(data_.set, own);
    return ownSet_;
  }

  TrainingOptions networkOptions() const {
    const Architecture architecture = networkArchitectureFromName(wish_.model);
    json all = toJson(publishedTraining(architecture, lossFromName(options_.at("loss"))));
    for (const auto& [name, value] : options_.items())
      (all.at("step").contains(name) ? all.at("step") : all)[name] = value;
    TrainingOptions options = trainingOptionsFromJson(all);
    options.threads = wish_.threads;
    options.targetRecords = wish_.targetRecords;
    if (isOfSteps(data_.features))
      options.length =
          featureChoice(data_.features, data_.targets[heads_.front()].facts).steps->shape().steps;
    if (architecture == Architecture::MtlTlp)
      for (const ModelTarget& target : file_.targets)
        options.machines.push_back(target.id);
    return options;
  }

  // --- networks

  void trainNetwork() {
    learned_ = {parts_.train, parts_.validation};
    const DataSet& set = learningSet();
    const TrainingOptions options = networkOptions();
    std::optional<TrainedNetwork> before;
    if (!wish_.startFrom.empty()) before = networkToStartFrom(options.architecture);
    countLabels(samplesOf(set, learned_, options));
    const KeptWish kept(wish_);
    LearnerLaunch launch;
    launch.niceness = wish_.niceness;
    Learner learner(launch);
    const TrainingJob job{
        set, learned_, options, before ? &*before : nullptr, wish_.checkpoint, wish_.resume};
    TrainingObserver observer{observer_.progressed, observer_.epochEnded, observer_.warned};
    if (wish_.keepEpochs)
      observer.learned = [this](const TrainedNetwork& network) { keepEpoch(network); };
    const TrainedNetwork trained = train(learner, job, observer, stop_);
    take(trained, file_);
    judge([&](const FeatureTable& table) {
      return scoresOf(trained, learner.score(trained.network, table, threadsNow(wish_), stop_),
                      table);
    });
  }

  static void take(const TrainedNetwork& trained, ModelFile& file) {
    file.bytes = toBytes(trained);
    file.curve = trained.curve;
    file.kept = trained.kept;
    file.dataHash = trained.dataHash;
    for (const EpochResult& epoch : trained.curve)
      file.seconds += epoch.seconds;
  }

  /// As a model of its own. Judging each would take longer than many an epoch.
  void keepEpoch(const TrainedNetwork& network) const {
    ModelFile file = file_;
    take(network, file);
    // The training that ends with this network.
    file.options["epochs"] = network.kept;
    file.options["keep"] = name(Keep::Last);
    file.trained = nowMicroseconds();
    writeModelFile(epochFile(network.kept), file);
  }

  TrainedNetwork networkToStartFrom(Architecture architecture) {
    const ModelFile before = readModelFile(wish_.startFrom);
    if (before.model != wish_.model)
      throw InputError(fmt::format("{} is of the model {}, and cannot be gone on from as {}",
                                   wish_.startFrom, before.model, wish_.model));
    file_.tasks.insert(before.tasks.begin(), before.tasks.end());
    file_.kinds.insert(before.kinds.begin(), before.kinds.end());
    file_.startFrom = hashHex(before.bytes);
    file_.startFromPath = std::filesystem::absolute(wish_.startFrom);
    return trainedNetworkFromBytes(before.bytes, architecture);
  }

  // --- trees

  void growTrees() {
    learned_ = {parts_.train, parts_.validation};
    const DataSet& set = learningSet();
    json options = options_;
    options.erase("loss");
    options["threads"] = threadsNow(wish_);
    const std::unique_ptr<CostModel> model = costModel(wish_.model, options);
    const auto begin = std::chrono::steady_clock::now();
    double before = 0;
    const std::size_t programs = learned_.train.size();
    QuietHold turn = holdForBatch(); // of the tree that grows
    const LearningWatch watch = [&](const LearningProgress& progress) {
      const double seconds = secondsSince(begin);
      const double perTree = seconds / std::max(progress.done, 1);
      if (observer_.progressed)
        observer_.progressed({progress.done, progress.of, programs, programs,
                              static_cast<double>(programs) / std::max(perTree, 1e-9),
                              perTree * (progress.of - progress.done)});
      file_.curve.push_back(
          {progress.done, progress.error, 0, 0, 0, seconds - std::exchange(before, seconds)});
      if (observer_.epochEnded) observer_.epochEnded(file_.curve.back());
      if (stop_.stop_requested()) return 0;
      turn = QuietHold(); // a timing that waits comes first
      turn = holdForBatch();
      return threadsNow(wish_);
    };
    const UpdateReport report = model->learn(set, learned_.train, watch);
    turn = QuietHold();
    requireGoingOn();
    file_.kept = report.trees;
    file_.bytes = model->save();
    file_.seconds = secondsSince(begin);
    const Samples samples = samplesOf(set, learned_, {});
    countLabels(samples);
    file_.dataHash = samples.hash(set);
    judge([&](const FeatureTable& table) {
      const QuietHold quiet = holdForBatch();
      return model->predict(table).scores;
    });
  }

  // --- what came out

  template <class Score>
  void judge(const Score& score) {
    tellPhase(TrainingPhase::Judging);
    file_.validation = figuresOf(parts_.validation, score);
    requireGoingOn();
    file_.test = figuresOf(parts_.test, score);
    requireGoingOn();
    file_.trained = nowMicroseconds();
  }

  /// Nothing where no program of the part ran.
  template <class Score>
  std::optional<PartFigures> figuresOf(const Indices& part, const Score& score) const {
    Indices own; // of the model's own target, whose head it is asked for
    for (const std::size_t i : part)
      if (wish_.data.split == SplitKind::ByTarget ||
          data_.set.outcomes[i].machine == heads_.front())
        own.push_back(i);
    if (own.empty()) return std::nullopt;
    const std::vector<double> scores = score(select(data_.set.features, own));
    std::map<std::size_t, TaskScores> tasks;
    for (std::size_t n = 0; n < own.size(); ++n) {
      const Outcome& outcome = data_.set.outcomes[own[n]];
      TaskScores& task = tasks[outcome.task];
      task.predictions.push_back(scores[n]);
      task.labels.push_back(outcome.failed() ? 0 : 1 / outcome.seconds);
    }
    std::erase_if(tasks, [](const auto& entry) {
      return std::ranges::all_of(entry.second.labels, [](double label) { return label == 0; });
    });
    if (tasks.empty()) return std::nullopt;
    PartFigures figures{tasks.size(), 0, 0, 0, 0};
    const auto count = static_cast<double>(tasks.size());
    for (const auto& [index, task] : tasks) {
      figures.programs += task.labels.size();
      figures.pairwiseAccuracy += pairwiseAccuracy(task.predictions, task.labels) / count;
      figures.top1 += peakAt(1, task.predictions, task.labels) / count;
      figures.top5 += peakAt(5, task.predictions, task.labels) / count;
    }
    return figures;
  }

  const TrainingRecords& records_;
  const RecordedData& data_;
  const ModelWish& wish_;
  const ModelObserver& observer_;
  std::stop_token stop_;
  json options_;
  DataParts parts_;
  Indices heads_;         // indices of targets
  TrainingParts learned_; // of the set that is learned from
  DataSet ownSet_;
  ModelFile file_;
};

} // namespace

const char* name(TrainingPhase phase) {
  return kPhases.of(phase);
}

TrainingRecords readRecords(const ModelWish& wish, const ModelObserver& observer,
                            std::stop_token stop) {
  settledOptions(wish); // before anything is read
  const DataChoice choice = readingChoice(wish);
  const std::vector<RecordStore> files = openFiles(choice);
  ReadOptions options{.threads = static_cast<unsigned>(wish.threads)};
  options.learnSteps = wish.startFrom.empty();
  options.standsBack = wish.niceness > 0;
  // What is of other targets must not decide how the steps of these are told.
  if (!wish.helpers.empty() && !wish.data.target.empty()) {
    options.targets = wish.helpers;
    options.targets.push_back(wish.data.target);
    if (wish.data.split == SplitKind::ByTarget) options.targets.push_back(wish.data.testTarget);
  }
  options.goOn = [&](double done) {
    if (observer.phase) observer.phase(TrainingPhase::Reading, done);
    return !stop.stop_requested();
  };
  try {
    return {readData(files, choice, options), networkTasks(choice.holdOut, files)};
  } catch (const QueryStopped&) {
    throw LearnerStopped();
  }
}

ModelFile trainModel(const ModelWish& wish, const ModelObserver& observer, std::stop_token stop) {
  const std::unique_ptr<OwnLock> alone = onlyTrainingOf(wish);
  const TrainingRecords records = readRecords(wish, observer, stop);
  return ModelTraining(records, wish, observer, std::move(stop)).run();
}

ModelFile trainModel(const TrainingRecords& records, const ModelWish& wish,
                     const ModelObserver& observer, std::stop_token stop) {
  const std::unique_ptr<OwnLock> alone = onlyTrainingOf(wish);
  return ModelTraining(records, wish, observer, std::move(stop)).run();
}

} // namespace nestwright
