#include "ui/lab/training_desk.h"

#include "core/worker/quiet.h"

namespace nestwright::ui {
namespace {

/// How often the one that runs is looked at: what is read off it does not change faster.
constexpr int kLookMilliseconds = 150;

} // namespace

TrainingDesk::TrainingDesk(TrainingList& list, QObject* parent) : QObject(parent), list_(list) {
  timer_.setInterval(kLookMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &TrainingDesk::look);
}

TrainingDesk::~TrainingDesk() = default;

void TrainingDesk::begin(const ModelWish& wish, const QString& file) {
  Training training;
  training.file = file;
  training.wish = wish;
  training.isHere = true;
  list_.add(std::move(training));
  beginNext();
}

void TrainingDesk::goOn(int row) {
  if (row < 0 || row >= list_.rowCount() || !canGoOn(list_.row(row))) return;
  list_.change(row, [](Training& training) {
    training.wish.resume = true;
    training.isHere = true;
    training.course.state = TrainingState::Waiting;
    training.course.problem.clear();
    training.course.warnings.clear();
    training.course.progress = {};
  });
  beginNext();
}

void TrainingDesk::stop(int row) {
  if (row < 0 || row >= list_.rowCount()) return;
  const Training& training = list_.row(row);
  if (run_ && training.file == running_) return run_->stop();
  if (training.course.state != TrainingState::Waiting) return;
  list_.change(row, [](Training& waiting) { waiting.course.state = TrainingState::Stopped; });
  Q_EMIT ended(training.file);
}

/// The one that has waited longest.
void TrainingDesk::beginNext() {
  if (run_) return;
  for (int row = list_.rowCount() - 1; row >= 0; --row) {
    if (list_.row(row).course.state != TrainingState::Waiting) continue;
    list_.change(row, [](Training& training) {
      training.course.state = TrainingState::Running;
      training.course.phase = TrainingPhase::Reading;
    });
    const Training& training = list_.row(row);
    running_ = training.file;
    run_ = std::make_unique<TrainingRun>(training.wish, running_.toStdString());
    timer_.start();
    return Q_EMIT progressed(running_);
  }
}

void TrainingDesk::look() {
  const int row = list_.rowOf(running_);
  if (!run_ || row < 0) return timer_.stop();
  list_.change(row, [this](Training& training) {
    run_->bringUpToDate(training.course);
    training.yields = isSessionRunning();
  });
  if (list_.row(row).course.state == TrainingState::Running) return Q_EMIT progressed(running_);
  const QString file = std::exchange(running_, QString());
  run_.reset(); // it is over: nothing is waited for
  timer_.stop();
  Q_EMIT ended(file);
  beginNext();
}

} // namespace nestwright::ui

#include "moc_training_desk.cpp"
