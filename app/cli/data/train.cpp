#include "app/cli/data/model_text.h"
#include "app/cli/data/train_options.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/verbs.h"
#include "core/support/error.h"
#include "core/support/json_fields.h"
#include "core/support/process.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/training/model_summary.h"
#include "core/training/train_model.h"
#include "core/training/training_files.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>

namespace nestwright::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TrainVerbOptions {
  TrainOptions train;
  std::string output;
  bool json = false, events = false;
};

/// Tells how the training goes: a line that rewrites itself, a line an epoch, or JSON lines.
class Teller {
 public:
  Teller(const TrainVerbOptions& options, const ModelWish& wish)
      : events_(options.events), silent_(options.events || options.json),
        epochs_(isNetwork(wish.model)) {}

  ModelObserver observer() {
    return {[this](TrainingPhase phase, double done) { showPhase(phase, done); },
            [this](const TrainingFacts& facts) { showData(facts); },
            [this](const TrainingProgress& progress) { showProgress(progress); },
            [this](const EpochResult& result) { showEpoch(result); },
            [this](const std::string& sentence) { warn(sentence); }};
  }
  void clear() { line_.clear(); }
  int epochsDone() const { return last_.epoch; }

 private:
  void tell(const char* event, json fields) const {
    if (!events_) return;
    fields["event"] = event;
    cli::print("{}\n", jsonLine(fields));
    std::fflush(stdout);
  }

  /// Ten times a second at most, on a terminal.
  bool isDue() {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return false;
    shown_ = now;
    return true;
  }

  void showPhase(TrainingPhase phase, double done) {
    if (phase != phase_ || done == 0) tell("phase", {{"phase", name(phase)}});
    phase_ = phase;
    if (phase == TrainingPhase::Judging) return line_.show(1, 1, "judging what it did not see");
    if (phase == TrainingPhase::Reading && isDue())
      line_.show(done, 1, "reading records and computing features");
  }

  void showData(const TrainingFacts& facts) {
    const DataSurvey& survey = facts.survey;
    json targets = json::array();
    for (const ModelTarget& target : facts.targets)
      targets.push_back({{"id", target.id}, {"text", target.text}, {"programs", target.programs}});
    tell("data", {{"train", facts.parts.train.size()},
                  {"validation", facts.parts.validation.size()},
                  {"test", facts.parts.test.size()},
                  {"tasks", survey.train.tasks},
                  {"leaks", toJson(facts.parts.leaks)},
                  {"targets", std::move(targets)}});
    if (silent_) return;
    line_.clear();
    cli::print("{} of {} to learn from, {} to validate with, {} of {} to test on; nothing stands "
               "where it should not\n",
               quantity(std::ssize(facts.parts.train), "program"),
               quantity(std::int64_t(survey.train.tasks), "task"), facts.parts.validation.size(),
               facts.parts.test.size(), quantity(std::int64_t(survey.test.tasks), "task"));
    for (const ModelTarget& target : facts.targets)
      cli::print("target {}: {}  {}\n", target.id,
                 quantity(std::int64_t(target.programs), "program"), target.text);
  }

  void showProgress(const TrainingProgress& progress) {
    if (!isDue()) return;
    tell("progress", {{"epoch", progress.epoch},
                      {"epochs", progress.epochs},
                      {"programs", progress.programs},
                      {"programs_of_epoch", progress.programsOfEpoch},
                      {"programs_per_second", progress.programsPerSecond},
                      {"seconds_left", knownSeconds(progress.secondsLeft)}});
    const std::string before =
        !epochs_ || last_.epoch == 0
            ? std::string()
            : fmt::format("  loss {:.4g}, validation {:.4g}, top-1 {:.3f}, top-5 {:.3f}",
                          last_.trainingLoss, last_.validationLoss, last_.top1, last_.top5);
    const double done =
        progress.epoch - 1 + double(progress.programs) / double(progress.programsOfEpoch);
    line_.show(done, progress.epochs,
               fmt::format("{} {}/{}  {:.0f} programs/s{}  {} left", epochs_ ? "epoch" : "tree",
                           progress.epoch, progress.epochs, progress.programsPerSecond, before,
                           formatDuration(progress.secondsLeft)));
  }

  void showEpoch(const EpochResult& result) {
    last_ = result;
    tell("epoch", toFields(result));
    if (silent_ || !epochs_) return;
    line_.clear();
    cli::print("epoch {:>3}  loss {:<10.4g} validation {:<10.4g} top-1 {:.4f}  top-5 {:.4f}  {}\n",
               result.epoch, result.trainingLoss, result.validationLoss, result.top1, result.top5,
               formatDuration(result.seconds));
    std::fflush(stdout);
  }

  void warn(const std::string& sentence) {
    tell("warning", {{"text", sentence}});
    if (events_) return;
    line_.clear();
    cli::print(stderr, "warning: {}\n", sentence);
  }

  bool events_, silent_, epochs_;
  ProgressLine line_;
  TrainingPhase phase_ = TrainingPhase::Judging;
  EpochResult last_;
  std::chrono::steady_clock::time_point shown_ = {};
};

/// Whether there is anything to do. Throws UsageError where a model would be overwritten.
bool isWanted(const TrainVerbOptions& options) {
  if (options.train.wish.resume && isModelThere(options.output)) return false;
  requireFreePlace(options.output);
  return true;
}

void sayPaused(const TrainVerbOptions& options, const ModelWish& wish, int epochs) {
  const bool kept = fs::exists(wish.checkpoint);
  if (options.json || options.events)
    return cli::print("{}\n", jsonLine({{"event", "ended"},
                                        {"status", kept ? "paused" : "stopped"},
                                        {"epochs", epochs},
                                        {"checkpoint", kept ? json(wish.checkpoint) : json()}}));
  if (kept)
    cli::print("paused; the same command with --resume goes on, with the epoch that was under "
               "way\n");
  else if (!isNetwork(wish.model))
    cli::print("stopped; trees keep nothing of a training under way: it begins anew\n");
  else
    cli::print("stopped before the first epoch was done: there is nothing to go on from\n");
}

void report(const TrainVerbOptions& options, const ModelFile& file) {
  if (options.events)
    return cli::print(
        "{}\n", jsonLine({{"event", "ended"}, {"status", "finished"}, {"model", options.output}}));
  if (options.json) {
    json document = toJson(summaryOf(file));
    document["status"] = "finished";
    document["file"] = options.output;
    return printJson(document);
  }
  printModel(options.output, file, false);
}

/// How much of a training that broke off is there to be gone on with, as the end of a sentence.
std::string keptText(const std::string& checkpoint) {
  if (!fs::exists(checkpoint)) return {};
  try {
    const auto epochs = std::ssize(networkOfCheckpoint(checkpoint).curve);
    return fmt::format("; {} {} kept, --resume goes on", quantity(epochs, "epoch"),
                       epochs == 1 ? "is" : "are");
  } catch (const InputError&) { // what broke off is what people have to know
    return {};
  }
}

void train(TrainVerbOptions& options) {
  PauseOnSignal signals;
  standBack(options.train.wish.niceness); // a session comes first
  options.train.wish.checkpoint = checkpointOf(options.output);
  const ModelWish wish = wishOf(options.train);
  if (!isWanted(options)) {
    if (!options.json && !options.events)
      cli::print(stderr, "{} is trained already\n", options.output);
    return report(options, readModelFile(options.output));
  }
  std::stop_source stop;
  signals.watch([&stop] { stop.request_stop(); });
  Teller teller(options, wish);
  try {
    const ModelFile file = trainModel(wish, teller.observer(), stop.get_token());
    teller.clear();
    writeModelFile(options.output, file);
    removeTraining(options.output);
    report(options, file);
  } catch (const LearnerStopped&) {
    teller.clear();
    sayPaused(options, wish, teller.epochsDone());
  } catch (const SystemError& error) {
    teller.clear();
    throw SystemError(error.what() + keptText(wish.checkpoint));
  }
}

} // namespace

void addTrain(CLI::App& app) {
  auto options = std::make_shared<TrainVerbOptions>();
  CLI::App* verb =
      app.add_subcommand("train", "Train a cost model on records, ahead of any search");
  verb->footer(
      "Records become programs with labels, as `nestwright dataset` describes them; before "
      "anything\n"
      "is learned it is made sure that nothing of what is tested on can be learned from. mlp and\n"
      "lstm are TenSet's networks of a program's statements, tlp and mtl-tlp read its schedule\n"
      "steps, xgboost are TenSet's trees; autotvm, forest and treegru learn during sessions over\n"
      "templates. What is not said is as in the papers.\n\n"
      "  nestwright train --db a.nwdb --model mlp --hold-out zoo_test -o mlp.nwm\n"
      "  nestwright train --data set.json --model tlp --epochs 20 --threads 2 -o tlp.nwm\n"
      "  nestwright train --db a.nwdb b.nwdb --model mtl-tlp --target zen --helper lake -o m.nwm\n"
      "  nestwright train --db new.nwdb --start-from mlp.nwm --fine-tune -o mine.nwm\n\n"
      "After each epoch all is kept beside the model's file. Whatever ends it, Ctrl+C too, the "
      "same\n"
      "command with --resume goes on and ends in the same network, to the last bit. It runs at "
      "low\n"
      "priority, so that a session comes first. LightGBM (no Debian package), TabNet, MAML, GPT "
      "and\n"
      "BERT are not here. `nestwright models` tells what a file knows, `nestwright evaluate`\n"
      "compares.");
  addTrainOptions(*verb, options->train, {.seed = "--data-seed"});
  verb->add_option("-o,--output", options->output, "File of the trained model")->required();
  verb->add_flag(
      "--keep-epochs", options->train.wish.keepEpochs,
      "Also keep the network of each epoch, a model as any other: of m.nwm m-epoch1.nwm, "
      "m-epoch2.nwm, ...");
  verb->add_flag("--resume", options->train.wish.resume,
                 "Go on with the training that was interrupted, if there is one");
  CLI::Option* whole =
      verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->add_flag("--events", options->events, "Print what happens, as JSON lines")->excludes(whole);
  verb->callback([options] { train(*options); });
}

} // namespace nestwright::cli
