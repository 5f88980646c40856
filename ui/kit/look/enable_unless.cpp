#include "ui/kit/look/enable_unless.h"

#include "ui/kit/text.h"

#include <QAction>
#include <QVariant>
#include <QWidget>

namespace nestwright::ui {
namespace {

/// Properties of a control: why it cannot be used, the tool-tip that it has without a reason, and
/// the one that was made of both.
constexpr const char *kWhyNot = "whyNot", *kOwnTip = "ownTip", *kMadeTip = "madeTip";

template <class Control>
void tell(Control* control, const QString& why) {
  const QString tip = control->toolTip();
  if (tip != control->property(kMadeTip).toString()) control->setProperty(kOwnTip, tip);
  const QString own = control->property(kOwnTip).toString();
  const QString made = why.isEmpty()   ? own
                       : own.isEmpty() ? why
                                       : own + QStringLiteral("\n\n") + tr("Not now: %1").arg(why);
  control->setProperty(kMadeTip, made);
  if (tip != made) control->setToolTip(made);
  if (control->statusTip() != why) control->setStatusTip(why);
}

/// What lies in it has a reason of its own, or its.
void tellBelow(QWidget* control) {
  for (QWidget* child : control->findChildren<QWidget*>())
    if (!child->toolTip().isEmpty()) tell(child, whyNot(child));
}

} // namespace

void enableUnless(QWidget* control, const QString& why) {
  const bool same = control->property(kWhyNot).toString() == why;
  control->setProperty(kWhyNot, why); // before it tells that it is another
  control->setEnabled(why.isEmpty());
  tell(control, whyNot(control));
  if (!same) tellBelow(control);
}

void enableUnless(QAction* action, const QString& why) {
  action->setProperty(kWhyNot, why); // before it tells that it is another
  action->setEnabled(why.isEmpty());
  tell(action, why);
}

QString whyNot(const QWidget* control) {
  for (; control; control = control->parentWidget())
    if (QString why = control->property(kWhyNot).toString(); !why.isEmpty()) return why;
  return {};
}

QString whyNot(const QAction* action) {
  return action->property(kWhyNot).toString();
}

} // namespace nestwright::ui
