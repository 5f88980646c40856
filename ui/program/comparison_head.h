#pragma once
/// \file The head of one side of a comparison: its letter, its name in the user's words, and its
/// numbers. Programs can be dropped on it.

#include "ui/kit/comparison_side.h"
#include "ui/program/program_text.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;

namespace nestwright::ui {

class ComparisonHead : public QWidget {
  Q_OBJECT
 public:
  ComparisonHead(Side side, QMenu* choices, QWidget* parent = nullptr);
  void show(const ProgramText& program);
  /// No program on this side yet, or why it cannot be shown; `name` is of one that was chosen.
  void showEmpty(const QString& why, const QString& name = {});
  QString alias() const;
  QLineEdit* name() const { return name_; }
  QLabel* numbers() const { return numbers_; }

 Q_SIGNALS:
  void renamed(const QString& alias);
  void dropped(const ProgramRef& program);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void restyle();

  QLineEdit* name_;
  QLabel *task_, *numbers_;
  QToolButton* choose_;
};

} // namespace nestwright::ui
