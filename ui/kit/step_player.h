#pragma once
/// \file Going through a list of steps: first, back, play, forward, last, and a slider to scrub.

#include <QTimer>
#include <QWidget>

class QLabel;
class QSlider;
class QToolButton;

namespace nestwright::ui {

class StepPlayer : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kMillisecondsPerStep = 800;

  explicit StepPlayer(QWidget* parent = nullptr);
  /// Positions are 0 (before the first step) to `steps` (after the last).
  void setSteps(int steps);
  int steps() const;
  int position() const;
  void setPosition(int position);
  void setText(const QString& text);
  /// What is scrubbed through with the slider.
  void setTip(const QString& tip);
  bool isPlaying() const { return timer_.isActive(); }
  void play();
  void stop();

 Q_SIGNALS:
  void positionChanged(int position);

 private:
  QToolButton* addButton(const QString& text, const QString& name, const QString& tip);
  void advance();
  void refresh();

  QToolButton *first_, *back_, *play_, *forward_, *last_;
  QSlider* slider_;
  QLabel* text_;
  QTimer timer_;
};

} // namespace nestwright::ui
