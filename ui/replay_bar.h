#pragma once
/// \file The controls of a replay: time slider, play, speed, steps, and the marks of a lesson. Seen
/// only while a session's past is replayed.

#include <QSlider>
#include <QToolBar>

class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace nestwright::ui {

class Document;
class Marks;

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
  QComboBox* speeds() const { return speeds_; }
  Marks& marks() const { return *marks_; }
  /// The sentence of the mark at or before the present moment.
  QString caption() const;
  /// Goes to the mark before or after the present moment.
  void goToMark(int direction);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
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
  void askMark();

  Document& document_;
  Marks* marks_;
  QLabel *caption_, *time_;
  QToolButton *play_, *markButton_, *end_;
  TimeSlider* slider_;
  QComboBox* speeds_;
  QMenu* markMenu_;
};

} // namespace nestwright::ui
