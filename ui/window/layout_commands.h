#pragma once
/// \file The commands that arrange the panels: the three layouts, the user's own, and one panel
/// alone.

#include "ui/kit/layout.h"

#include <QObject>

class QWidget;

namespace nestwright::ui {

class Actions;
class PanelHost;

class LayoutCommands : public QObject {
  Q_OBJECT
 public:
  LayoutCommands(PanelHost& host, Actions& actions, QWidget* window);
  void choose(Layout layout);

 private:
  void askSave();

  PanelHost& host_;
  Actions& actions_;
  QWidget* window_;
};

} // namespace nestwright::ui
