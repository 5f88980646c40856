#pragma once
/// \file The predictions of a session, read from its records beside everything else and kept up to
/// date while it runs or is replayed.

#include "core/story/predictions.h"

#include <QObject>
#include <QTimer>

namespace nestwright::ui {

class Document;

class PredictionHistory : public QObject {
  Q_OBJECT
 public:
  /// Of longer sessions the newest trials are looked at.
  static constexpr int kMaxTrials = 20'000;

  explicit PredictionHistory(Document& document, QObject* parent = nullptr);

  const Predictions& predictions() const { return predictions_; }
  /// True until the session's records were looked through once.
  bool isReading() const { return reading_; }
  /// True when older trials were left out.
  bool isCut() const { return cut_; }
  /// Nothing is read before it is wanted: by a view that can be seen.
  void setWanted(bool wanted);

 Q_SIGNALS:
  /// Programs were added, or compared anew; at most a few times per second.
  void changed();

 private:
  void restart();
  void schedule();
  void read();
  void readOlder();
  void readNewer();
  void finish();

  Document& document_;
  Predictions predictions_;
  std::vector<PredictedProgram> older_; // newest first, while they are read
  RowId oldest_ = 0, newest_ = 0;       // records that were looked at
  int looked_ = 0;
  bool wanted_ = false, stale_ = true, reading_ = false, complete_ = false, cut_ = false;
  QTimer timer_;
};

} // namespace nestwright::ui
