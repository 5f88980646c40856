#pragma once
/// \file Runs trainings beside the window, one after the other, and keeps the list of them up to
/// date while they do.

#include "core/training/training_run.h"
#include "ui/lab/training_list.h"

#include <QTimer>

#include <memory>

namespace nestwright::ui {

class TrainingDesk : public QObject {
  Q_OBJECT
 public:
  explicit TrainingDesk(TrainingList& list, QObject* parent = nullptr);
  /// Stops the one that runs; its checkpoint stays.
  ~TrainingDesk() override;

  /// Begins it, or puts it behind those that wait.
  void begin(const ModelWish& wish, const QString& file);
  /// One that was stopped or failed, from its checkpoint.
  void goOn(int row);
  /// One that runs or waits.
  void stop(int row);
  bool isBusy() const { return run_ != nullptr; }
  /// Null while none runs.
  const TrainingRun* run() const { return run_.get(); }
  bool isStopping() const { return run_ && run_->isStopping(); }

 Q_SIGNALS:
  /// A training stands otherwise than before.
  void progressed(const QString& file);
  void ended(const QString& file);

 private:
  void beginNext();
  void look();

  TrainingList& list_;
  QTimer timer_;
  QString running_; // the file of its model
  std::unique_ptr<TrainingRun> run_;
};

} // namespace nestwright::ui
