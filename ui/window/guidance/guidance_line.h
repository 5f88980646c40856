#pragma once
/// \file One line above the panels that says where to look next, what is to be gained there, and
/// has one button for it.

#include "core/story/advice/guidance.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QToolButton;

namespace nestwright::ui {

class BudgetWatch;
class Document;
class HealthLight;

class GuidanceLine : public QWidget {
  Q_OBJECT
 public:
  /// `health` is what the light shows.
  GuidanceLine(Document& document, const HealthLight& health, QWidget* parent = nullptr);

  /// What is said; nothing while there is nothing to say.
  const std::optional<Guidance>& shown() const { return shown_; }
  QString text() const;
  QPushButton* button() const { return act_; }
  /// Says the next thing, if there is one.
  QToolButton* nextButton() const { return next_; }
  QToolButton* closeButton() const { return close_; }
  bool isWanted() const { return wanted_; }
  /// Whether the user wants to be told at all.
  void setWanted(bool wanted);

 Q_SIGNALS:
  /// The line's button: show what it is about. Selection and steering are done already.
  void placeWanted(const nestwright::Guidance& guidance);
  void wantedChanged(bool wanted);

 private:
  void refresh();
  void showNext();
  void act();
  void say(const std::vector<Guidance>& found);

  Document& document_;
  const HealthLight& health_;
  BudgetWatch* watch_;
  QTimer timer_; // what is told moves a few times per second
  std::optional<Guidance> shown_;
  int place_ = 0; // of what was found: which one is said
  bool wanted_ = true;
  QLabel *sign_, *text_;
  QPushButton* act_;
  QToolButton *next_, *close_;
};

} // namespace nestwright::ui
