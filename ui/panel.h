#pragma once
/// \file A dockable panel with a quiet title; under a tab that already names it, it shows none.

#include <QDockWidget>

class QLabel;

namespace nestwright::ui {

class Panel : public QDockWidget {
  Q_OBJECT
 public:
  Panel(const QString& name, const QString& title, QWidget* content, QWidget* parent);
  /// To be called after panels were moved or put under one another's tabs.
  void updateTitle();

 private:
  void restyle();

  QWidget* title_;
  QWidget* noTitle_;
  QLabel* label_;
};

} // namespace nestwright::ui
