#include "ui/window/race/race_command.h"

#include "ui/document/document.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/race/race_control.h"
#include "ui/race/race_view.h"
#include "ui/window/actions.h"
#include "ui/window/race/new_race_dialog.h"

#include <QAction>

namespace nestwright::ui {

RaceCommand::RaceCommand(Document& document, Actions& actions, RaceView& view, QWidget* window)
    : QObject(window), document_(document), view_(view), window_(window) {
  action_ = actions.add(tr("New R&ace …"), "", {},
                        tr("Let search policies race: the same tasks, equal budgets and seeds, "
                           "their rounds in turns, and who wins beyond chance."));
  action_->setObjectName(QStringLiteral("newRace"));
  connect(action_, &QAction::triggered, this, &RaceCommand::ask);
  connect(&view, &RaceView::newRaceWanted, this, &RaceCommand::ask);
  const auto follow = [this] { enableUnless(action_, view_.control()->whyNotStart()); };
  connect(view.control(), &RaceControl::changed, this, follow);
  follow();
}

void RaceCommand::ask() {
  NewRaceDialog dialog(document_, window_);
  if (dialog.exec() != QDialog::Accepted) return;
  view_.control()->start(dialog.wish());
  Q_EMIT begun();
}

} // namespace nestwright::ui

#include "moc_race_command.cpp"
