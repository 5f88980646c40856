#include "core/training/training_run.h"

#include "core/learn/learner.h"
#include "core/support/error.h"
#include "core/support/process.h"
#include "core/training/training_files.h"

#include <algorithm>
#include <filesystem>

namespace nestwright {

namespace {

/// Of epochs that are over before anything is told of them.
TrainingProgress progressAfter(const TrainingCourse& course, int epochs) {
  const EpochResult& last = course.curve.back();
  const std::size_t programs = course.data ? course.data->train.programs : 0;
  return {last.epoch,
          epochs,
          programs,
          programs,
          static_cast<double>(programs) / std::max(last.seconds, 1e-9),
          last.seconds * (epochs - last.epoch)};
}

} // namespace

TrainingRun::TrainingRun(ModelWish wish, std::string model)
    : wish_(std::move(wish)), model_(std::move(model)) {
  course_.state = TrainingState::Running;
  // Trees keep nothing of a training under way.
  wish_.checkpoint = isNetwork(wish_.model) ? checkpointOf(model_) : std::string();
  wish_.resume = wish_.resume && !wish_.checkpoint.empty();
  thread_ = std::jthread([this](std::stop_token stop) { run(std::move(stop)); });
}

TrainingRun::~TrainingRun() = default;

void TrainingRun::bringUpToDate(TrainingCourse& course) const {
  const std::lock_guard lock(mutex_);
  // Only what is new of the longest part is copied.
  std::vector<EpochResult> curve = std::move(course.curve);
  if (curve.size() > course_.curve.size()) curve.clear();
  curve.insert(curve.end(), course_.curve.begin() + std::ptrdiff_t(curve.size()),
               course_.curve.end());
  course.state = course_.state;
  course.phase = course_.phase;
  course.read = course_.read;
  course.progress = course_.progress;
  if (!course.data || course_.data) course.data = course_.data;
  course.curve = std::move(curve);
  course.warnings = course_.warnings;
  course.problem = course_.problem;
  course.kept = course_.kept;
  course.model = course_.model;
}

template <class Change>
void TrainingRun::note(Change change) {
  const std::lock_guard lock(mutex_);
  change(course_);
}

ModelObserver TrainingRun::observer() {
  return {[this](TrainingPhase phase, double done) {
            note([&](TrainingCourse& course) { course.phase = phase, course.read = done; });
          },
          [this](const TrainingFacts& facts) {
            note([&](TrainingCourse& course) { course.data = facts.survey; });
          },
          [this](const TrainingProgress& progress) {
            note([&](TrainingCourse& course) { course.progress = progress; });
          },
          [this](const EpochResult& result) {
            note([&](TrainingCourse& course) {
              course.curve.push_back(result);
              if (epochs_ > 0) course.progress = progressAfter(course, epochs_);
            });
          },
          [this](const std::string& sentence) {
            note([&](TrainingCourse& course) { course.warnings.push_back(sentence); });
          }};
}

void TrainingRun::run(std::stop_token stop) {
  standBack(wish_.niceness);
  TrainingState end = TrainingState::Finished;
  std::string problem;
  try {
    train(std::move(stop));
  } catch (const LearnerStopped&) {
    end = TrainingState::Stopped;
  } catch (const std::exception& error) {
    end = TrainingState::Failed;
    problem = error.what();
  }
  std::error_code unknown;
  const bool kept = end != TrainingState::Finished && !wish_.checkpoint.empty() &&
                    std::filesystem::exists(wish_.checkpoint, unknown);
  note([&](TrainingCourse& course) {
    course.state = end;
    course.problem = std::move(problem);
    course.kept = kept;
  });
}

void TrainingRun::train(std::stop_token stop) {
  requireFreePlace(model_);
  epochs_ = settledOptions(wish_).value("epochs", 0);
  if (wish_.resume && std::filesystem::exists(wish_.checkpoint)) {
    std::vector<EpochResult> before = networkOfCheckpoint(wish_.checkpoint).curve;
    note([&](TrainingCourse& course) { course.curve = std::move(before); });
  }
  ModelFile file = trainModel(wish_, observer(), std::move(stop));
  writeModelFile(model_, file);
  removeTraining(model_);
  file.bytes.clear();
  note([&](TrainingCourse& course) {
    course.curve = file.curve;
    course.model = std::make_shared<const ModelFile>(std::move(file));
  });
}

} // namespace nestwright
