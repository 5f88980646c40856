#pragma once
/// \file Editing a task's importance: one range, one precision and one explanation wherever it is
/// edited.

#include <QDoubleSpinBox>

#include <optional>

namespace nestwright::ui {

class ImportanceEditor : public QDoubleSpinBox {
  Q_OBJECT
 public:
  /// 0 to 1000 in thousandths.
  static constexpr double kLargest = 1000;
  static constexpr int kDecimals = 3;

  explicit ImportanceEditor(QWidget* parent = nullptr);
  /// What an importance is, in a sentence.
  static QString explanation();
};

/// Asks for the importance of the task with this name, beginning with `now`; nothing when it is
/// cancelled.
std::optional<double> askImportance(QWidget* parent, const QString& task, double now);

} // namespace nestwright::ui
