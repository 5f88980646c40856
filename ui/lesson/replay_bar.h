#pragma once
/// \file The controls of a replay: time slider, play, speed, steps, and the marks of a lesson. Seen
/// only while a session's past is replayed.

#include "core/record/rows/mark_row.h"

#include <QSlider>
#include <QToolBar>

class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace nestwright {
struct MarkRow;
}

namespace nestwright::ui {

class Document;
class LessonMarks;

/// A slider over the session's time, with a tick at each mark.
class TimeSlider : public QSlider {
  Q_OBJECT
 public:
  static constexpr int kSteps = 10'000;

  explicit TimeSlider(QWidget* parent = nullptr);
  /// Places of the marks, 0 to 1.
  void setMarks(std::vector<double> marks);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  std::vector<double> marks_;
};

class ReplayBar : public QToolBar {
  Q_OBJECT
 public:
  explicit ReplayBar(Document& document, QWidget* parent = nullptr);

  TimeSlider* slider() const { return slider_; }
  LessonMarks& marks() const { return *marks_; }
  /// The sentence of the mark at or before the present moment.
  QString caption() const;
  /// Goes to the mark before (-1) or after (1) the present moment.
  void goToMark(int direction);
  bool canGoToMark(int direction) const { return markTowards(direction) != nullptr; }
  QToolButton* previousMarkButton() const { return previousMark_; }
  QToolButton* nextMarkButton() const { return nextMark_; }
  /// Asks for the sentence of a mark at the present moment.
  void askMark();

 Q_SIGNALS:
  /// The moment or the marks are others.
  void moved();
  void lessonExportRequested();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitCaption();
  QToolButton* addButton(const char* icon, const QString& name, const QString& tip,
                         const QKeySequence& shortcut, void (ReplayBar::*act)());
  void follow();
  void refresh();
  void refreshIcons();
  void fillMarks();
  void togglePlay();
  void back();
  void forward();
  void previousRound();
  void nextRound();
  void refreshMarks();
  void previousMark() { goToMark(-1); }
  void nextMark() { goToMark(1); }
  /// The last one that is not later than the present moment; null: none.
  const MarkRow* presentMark() const;
  const MarkRow* markTowards(int direction) const;

  Document& document_;
  LessonMarks* marks_;
  QLabel *caption_, *time_;
  QToolButton *play_, *previousMark_, *nextMark_, *markButton_, *end_;
  TimeSlider* slider_;
  QComboBox* speeds_;
  QMenu* markMenu_;
};

} // namespace nestwright::ui
