#pragma once
/// \file The list of all shortcuts, to be read and changed.

#include <QKeySequence>
#include <QString>

class QWidget;

namespace nestwright::ui {

class Actions;

/// Takes the user's shortcuts from the settings. To be called once all actions are there.
void restoreShortcuts(const Actions& actions);
/// Shows the list; what is changed takes effect at once and is kept.
void editShortcuts(const Actions& actions, QWidget* parent);

/// The command that has these keys already, by its text; empty when none has.
QString ownerOf(const Actions& actions, const QKeySequence& keys);

} // namespace nestwright::ui
