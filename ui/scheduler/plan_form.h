#pragma once
/// \file What a session is after and how it searches, as it is now, to be changed on the way:
/// objective, scheduler, policy and its options, budgets. Nothing happens before Apply.

#include "core/story/plan.h"
#include "ui/document/document.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace nestwright::ui {

class ObjectiveForm;

class PlanForm : public QWidget {
  Q_OBJECT
 public:
  explicit PlanForm(Document& document, QWidget* parent = nullptr);

  /// What the fields say. Throws UsageError when the objective's text cannot be read.
  Plan plan() const;

 public Q_SLOTS:
  void apply();
  /// Back to what is in force.
  void revert();

 private:
  void follow();
  void check();
  std::vector<std::string> subjects() const;

  Document& document_;
  ObjectiveForm* objective_;
  QComboBox *scheduler_, *policy_;
  QSpinBox *perRound_, *trials_, *population_, *generations_;
  QDoubleSpinBox *epsilon_, *taskEpsilon_, *minutes_;
  QLabel* problem_;
  QPushButton *apply_, *revert_;
  Plan shown_;
  bool filling_ = false, edited_ = false;
};

} // namespace nestwright::ui
