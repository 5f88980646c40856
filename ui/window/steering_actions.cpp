#include "ui/window/steering_actions.h"

#include "core/story/plan.h"
#include "ui/document/document.h"
#include "ui/document/notices.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/importance_editor.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/window/actions.h"

#include <QApplication>

namespace nestwright::ui {

SteeringActions::SteeringActions(Document& document, Actions& actions,
                                 std::function<SelectedRecords()> selected, QObject* parent)
    : QObject(parent), document_(document), selected_(std::move(selected)) {
  pauseTask = actions.add(tr("P&ause Task"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E),
                          tr("The selected task gets no rounds until this is taken back."));
  pinTask = actions.add(tr("P&in Task"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T),
                        tr("The selected task gets every round until this is taken back."));
  pauseTask->setCheckable(true);
  pinTask->setCheckable(true);
  importance = actions.add(tr("Task &Importance …"), "", {}, ImportanceEditor::explanation());
  measureNow = actions.add(tr("&Measure Now"), "", QKeySequence(Qt::CTRL | Qt::Key_M),
                           tr("Measure the selected program once more, before the next round. "
                              "Takes nothing of the trial budget."));
  seed =
      actions.add(tr("See&d the Search"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D),
                  tr("The selected program becomes one that the search of its task starts from."));
  seed->setCheckable(true);
  cross =
      actions.add(tr("&Cross Programs …"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_X),
                  tr("Take the selected records' programs to the crossing lab; for a single one "
                     "the task's fastest."));
  forget = actions.add(tr("&Forget Records"), "", QKeySequence(Qt::SHIFT | Qt::Key_Delete),
                       tr("The selected records no longer count: bests, cost model and lists are "
                          "without them. They stay in the file."));
  restore = actions.add(tr("Rest&ore Forgotten Records"), "", {},
                        tr("The selected records count again."));
  const auto setMode = [this](bool on, TaskMode mode) {
    document_.steering().steer(
        SetTaskMode{document_.selection().current().task, on ? mode : TaskMode::Free});
    refresh();
  };
  connect(pauseTask, &QAction::triggered, this,
          [setMode](bool on) { setMode(on, TaskMode::Paused); });
  connect(pinTask, &QAction::triggered, this,
          [setMode](bool on) { setMode(on, TaskMode::Pinned); });
  connect(importance, &QAction::triggered, this, &SteeringActions::askImportance);
  connect(measureNow, &QAction::triggered, this, [this] {
    document_.steering().steer(
        MeasureProgram{document_.selection().current().task, {record(), {}}});
  });
  connect(seed, &QAction::triggered, this, [this](bool on) {
    document_.steering().steer(SeedWith{document_.selection().current().task, {record(), {}}, on});
    refresh();
  });
  connect(cross, &QAction::triggered, this, [this] {
    std::optional<std::vector<RowId>> records = selectedRecords();
    if (!records) return;
    if (records->size() < 2) records->clear();
    document_.selection().cross(document_.selection().current().task, *records);
  });
  connect(forget, &QAction::triggered, this, [this] { setForgotten(true); });
  connect(restore, &QAction::triggered, this, [this] { setForgotten(false); });
  connect(&document, &Document::stateChanged, this, &SteeringActions::refresh);
  connect(&document.selection(), &SharedSelection::changed, this, &SteeringActions::refresh);
  connect(&document.replayMode(), &ReplayMode::changed, this, &SteeringActions::refresh);
  for (const auto signal : {&SessionFollower::tasksChanged, &SessionFollower::statusChanged})
    connect(&document.follower(), signal, this, &SteeringActions::refresh);
  refresh();
}

void SteeringActions::refresh() {
  const bool past = document_.replayMode().isOn();
  const bool ready = document_.state() == DocumentState::Ready &&
                     !document_.follower().elsewhere().isBusy() && !past;
  const QString absent = ready                                       ? QString()
                         : document_.state() != DocumentState::Ready ? document_.whyNotReady()
                         : past ? tr("A replay is shown, and the past cannot be changed.")
                                : tr("Another program is tuning this session.");
  const TaskEntry* task = document_.session().task(document_.selection().current().task);
  for (QAction* action : taskActions())
    enableUnless(action, !ready || task ? absent : tr("No task is selected."));
  pauseTask->setChecked(task && task->mode == TaskMode::Paused);
  pinTask->setChecked(task && task->mode == TaskMode::Pinned);
  const bool any = ready && task && record() != 0;
  for (QAction* action : recordActions())
    enableUnless(action,
                 !ready || any ? absent : tr("No record is selected, and the task has no best."));
  seed->setChecked(any && isSeed(document_.session(), task->row.id, record()));
}

/// The program that all views show: the selected record, or the task's best.
std::int64_t SteeringActions::record() const {
  if (const RowId selected = document_.selection().current().record) return selected;
  const TaskEntry* task = document_.session().task(document_.selection().current().task);
  return task ? task->summary.bestRecord : 0;
}

/// Of the table, none where no row is selected. Nothing when they cannot be named, which is told:
/// another record in their place would be a surprise.
std::optional<std::vector<RowId>> SteeringActions::selectedRecords() const {
  SelectedRecords selected = selected_();
  const QString why = whyNotNamed(selected);
  if (why.isEmpty()) return std::move(selected.records);
  document_.notices().warn(why);
  return std::nullopt;
}

void SteeringActions::setForgotten(bool forgotten) {
  std::optional<std::vector<RowId>> records = selectedRecords();
  if (!records) return;
  if (records->empty() && record() != 0) records->push_back(record());
  document_.steering().steer(Forget{*records, forgotten});
}

void SteeringActions::askImportance() {
  const TaskEntry* task = document_.session().task(document_.selection().current().task);
  if (!task) return;
  const RowId id = task->row.id;
  const std::optional<double> wanted =
      ui::askImportance(QApplication::activeWindow(), taskTitle(task->row.name), task->importance);
  if (wanted) document_.steering().steer(SetImportance{id, *wanted});
}

} // namespace nestwright::ui

#include "moc_steering_actions.cpp"
