#pragma once
/// \file A control that cannot be used says why: in its tool-tip, below what it does, and in the
/// status line while it is pointed at.

#include <QString>

class QAction;
class QWidget;

namespace nestwright::ui {

/// The control can be used where there is no reason against it, which is a sentence. What a control
/// holds others in, such as a form, has its reason told by each of them. Its own tool-tip may
/// change at any time; the next call puts the reason below that.
void enableUnless(QWidget* control, const QString& whyNot);
void enableUnless(QAction* action, const QString& whyNot);

/// The reason of the last call, or of what the control lies in; empty when there is none.
QString whyNot(const QWidget* control);
QString whyNot(const QAction* action);

} // namespace nestwright::ui
