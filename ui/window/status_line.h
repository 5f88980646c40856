#pragma once
/// \file The status bar: state, networks, progress, rate, best totals, errors, time left.

#include <QStatusBar>

class QLabel;
class QProgressBar;

namespace nestwright::ui {

class BudgetWatch;
class HealthLight;
class MeasuringSaved;
class TuningOrigins;
class Document;

/// How long what was done stays in the status bar.
inline constexpr int kNoticeMilliseconds = 15000;
/// What is written sooner needs no progress.
inline constexpr int kProgressMilliseconds = 500;

/// The session's state in a word or two: "tuning", "pausing …", "paused".
QString statusText(const Document& document);

class StatusLine : public QStatusBar {
  Q_OBJECT
 public:
  explicit StatusLine(Document& document, QWidget* parent = nullptr);
  /// All parts as one line, for tests and screen readers: as they are now, not as last painted.
  QString text();
  HealthLight* health() const { return health_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  /// Once for all that is told at a time: its totals walk over all tasks.
  void refreshSoon();
  /// The total, and with several networks each one's part in it.
  void showBest();
  /// How many trials of how many, or how long of how long; of an import, how many records.
  void showTrials();
  /// Time left and what it is worth.
  void showRest();
  static QString leftToolTip();
  static QString bestToolTip();
  QLabel* addPart(const QString& toolTip, Qt::TextElideMode cut = Qt::ElideRight);
  /// Figures stay whole as long as they leave room for names, which give way first.
  void allot();

  Document& document_;
  BudgetWatch* watch_;
  TuningOrigins* origins_;
  MeasuringSaved* measuringSaved_;
  HealthLight* health_;
  QLabel *dot_, *state_, *network_, *trials_, *rate_, *best_, *errors_, *saved_, *left_;
  QProgressBar* progress_;
  bool isDue_ = false;
};

} // namespace nestwright::ui
