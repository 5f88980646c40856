#pragma once
/// \file What the gradient scheduler minimises, and what that needs to know of each network.

#include "core/session/schedule/objective.h"

#include <QWidget>

#include <string>
#include <vector>

class QComboBox;
class QLineEdit;
class QSpinBox;
class QStackedWidget;

namespace nestwright::ui {

class ObjectiveForm : public QWidget {
  Q_OBJECT
 public:
  explicit ObjectiveForm(QWidget* parent = nullptr);

  /// The choice for these networks; f1 while the form is disabled.
  Objective objective(const std::vector<std::string>& networks) const;
  /// Shows this choice, whose seconds are of these networks.
  void setObjective(const Objective& objective, const std::vector<std::string>& networks);
  /// Empty when the choice suits the networks, else what has to be done.
  QString problem(const std::vector<std::string>& networks) const;

 Q_SIGNALS:
  void changed();

 private:
  void showParameter();

  QComboBox* kind_;
  QStackedWidget* parameters_;
  QLineEdit *latencies_, *references_;
  QSpinBox* rounds_;
};

} // namespace nestwright::ui
