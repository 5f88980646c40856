#pragma once
/// \file The predictions of a session, read from its records beside everything else and kept up to
/// date while it runs or is replayed.

#include "core/story/predictions.h"
#include "ui/document/record_trail.h"

#include <QObject>

namespace nestwright::ui {

class PredictionHistory : public QObject {
  Q_OBJECT
 public:
  /// Of longer sessions the newest trials are looked at.
  static constexpr int kMaxTrials = RecordTrail<PredictedProgram>::kMaxTrials;

  explicit PredictionHistory(Document& document, QObject* parent = nullptr);

  const Predictions& predictions() const { return predictions_; }
  /// True until the session's records were looked through once.
  bool isReading() const { return trail_.isReading(); }
  /// True when older trials were left out.
  bool isCut() const { return trail_.isCut(); }
  /// Nothing is read before it is wanted: by a view that can be seen.
  void setWanted(bool wanted) { trail_.setWanted(wanted); }

 Q_SIGNALS:
  /// Programs were added, or compared anew; at most a few times per second.
  void changed();

 private:
  Predictions predictions_;
  RecordTrail<PredictedProgram> trail_;
};

} // namespace nestwright::ui
