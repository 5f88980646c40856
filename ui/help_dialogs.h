#pragma once
/// \file The About box and the list of shortcuts.

class QWidget;

namespace nestwright::ui {

class Actions;

void showAbout(QWidget* parent);
void showShortcuts(const Actions& actions, QWidget* parent);

} // namespace nestwright::ui
