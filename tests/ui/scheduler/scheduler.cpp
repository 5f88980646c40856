/// The scheduler view, and every command that steers a session from the window.

#include "core/record/rows/task_row.h"
#include "core/record/store/event_rows.h"
#include "core/story/plan.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/choice_text.h"
#include "ui/document/notices.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/message_page.h"
#include "ui/scheduler/allocation_plot.h"
#include "ui/scheduler/choice_history.h"
#include "ui/scheduler/objective_form.h"
#include "ui/scheduler/plan_form.h"
#include "ui/scheduler/scheduler_model.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/tasks/importance_slider.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/steering_actions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QUndoStack>

namespace nestwright::scheduler_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TaskNames plainNames() {
  return TaskNames({{1, 1, "matmul"}, {2, 2, "matmul"}, {3, 3, "matmul"}});
}

/// A choice among three tasks, the second of which has the largest gain.
TaskChosen gradientChoice(const std::vector<RowId>& tasks, int round) {
  TaskChosen choice{tasks[1], round, "largest expected gain: 0.004 s of the objective", {}};
  choice.byGradient = true;
  choice.terms.push_back({tasks[0], 3, 0, -1e-4, kInfinity, -3e-4, 1, 2, 0});
  choice.terms.push_back({tasks[1], 2, -5e-5, -1e-4, -2e-3, -4e-3, 1, 0, tasks[2]});
  choice.terms.push_back({tasks[2], 1, 0, -1e-4, kInfinity, -1e-4, 1, 0, 0});
  return choice;
}

void storeChoices(const Sample& sample, int count) {
  RecordStore store = RecordStore::open(sample.path.toStdString());
  store.transaction([&] {
    for (int round = 1; round <= count; ++round) {
      Event event = TaskChosen{sample.tasks[0], round, fmt::format("its turn {}", round), {}};
      if (round == count) event = gradientChoice(sample.tasks, round);
      store.events().add({0, sample.session, round, kind(event), toJson(event).dump()});
    }
  });
}

bool said(const SessionScript& script, const Command& command) {
  return std::find(script.commands.begin(), script.commands.end(), command) !=
         script.commands.end();
}

class SchedulerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init() { QSettings().clear(); }
  void choicesAreWords_data();
  void choicesAreWords();
  void choicesCanBeBrowsed();
  void manyTasksAndChoicesStayCheap();
  void theTableSteers();
  void sliderKnowsItsPlaces();
  void aFinerShareIsNoEdit();
  void planIsAppliedInOrder();
  void tunesForSoLong();
  void refusalsAreTold();
  void importanceKeepsItsThousandths_data();
  void importanceKeepsItsThousandths();
  void actionsDriveEveryCommand();
  void moreSelectedThanCanBeNamed();
  void forgettingIsSeenEverywhere();
  void aRunningSessionFollows();

 private:
  QTemporaryDir settings_;
};

void SchedulerTest::initTestCase() {
  keepSettingsIn(settings_);
}

void SchedulerTest::choicesAreWords_data() {
  QTest::addColumn<QString>("reason");
  QTest::addColumn<bool>("byGradient");
  QTest::addColumn<bool>("amongPinned");
  QTest::addColumn<QStringList>("says");
  QTest::newRow("gradient") << QStringLiteral("as a file has it") << true << false
                            << QStringList{QStringLiteral("4.000 ms of the objective"),
                                           QStringLiteral("next is T1 with 300.0 µs"),
                                           QStringLiteral("Potential from similar task T3"),
                                           QStringLiteral("2.000 ms faster"),
                                           QStringLiteral("50.00 µs faster each")};
  QTest::newRow("pinned") << QStringLiteral("as a file has it") << true << true
                          << QStringList{QStringLiteral("Among the pinned tasks.")};
  QTest::newRow("random") << QStringLiteral("drawn at random (5 % of the rounds are)") << false
                          << false
                          << QStringList{
                                 QStringLiteral("Drawn at random (5 % of the rounds are).")};
}

void SchedulerTest::choicesAreWords() {
  QFETCH(QString, reason);
  QFETCH(bool, byGradient);
  QFETCH(bool, amongPinned);
  QFETCH(QStringList, says);
  TaskChosen choice = gradientChoice({1, 2, 3}, 12);
  choice.reason = reason.toStdString();
  choice.byGradient = byGradient;
  choice.amongPinned = amongPinned;
  const QString text = choiceText(choice, plainNames(), ObjectiveKind::TotalLatency);
  for (const QString& part : says)
    QVERIFY2(text.contains(part), qPrintable(text));
  QCOMPARE(choiceTitle(choice, plainNames()), QStringLiteral("Round 12 picked T2 matmul"));
  QCOMPARE(choiceTitle(choice, TaskNames()), QStringLiteral("Round 12 picked task 2"));
}

void SchedulerTest::choicesCanBeBrowsed() {
  const auto sample = makeSample(60);
  storeChoices(*sample, 9);
  SessionScript script;
  Document document(scripted(script));
  SchedulerView view(document);
  view.resize(900, 700);
  view.show();
  QVERIFY(view.choiceWords().contains(QStringLiteral("No choice yet")));
  openSample(document, *sample);
  QTRY_COMPARE(view.choices()->count(), 9);
  QTRY_VERIFY(view.choiceWords().contains(QStringLiteral("Round 9 picked T1")));
  QVERIFY(view.choices()->followsNewest());
  view.choices()->show(3);
  QTRY_VERIFY(view.choiceWords().contains(QStringLiteral("its turn 4"), Qt::CaseInsensitive));
  QVERIFY(!view.choices()->followsNewest());
  // A new one does not take away what is looked at; the latest does.
  document.steering().start();
  QTRY_VERIFY(script.observer != nullptr);
  script.tell(gradientChoice(sample->tasks, 10));
  QTest::qWait(100);
  QVERIFY(view.choiceWords().contains(QStringLiteral("Round 4")));
  view.choices()->showNewest();
  QTRY_VERIFY(view.choiceWords().contains(QStringLiteral("Round 9")));
  script.tell(gradientChoice(sample->tasks, 10));
  QTRY_VERIFY(view.choiceWords().contains(QStringLiteral("Round 10")));
  // The terms stand in the table.
  const QAbstractItemModel* model = view.table()->model();
  QCOMPARE(model->index(1, SchedulerModel::Gain).data().toString(), QStringLiteral("4.000 ms"));
  QVERIFY(
      model->index(1, SchedulerModel::Similar).data().toString().endsWith(QStringLiteral("T2")));
  QCOMPARE(model->index(0, SchedulerModel::Stagnant).data().toString(), QStringLiteral("2"));
}

/// 200 tasks, 100,000 choices: what is kept is small, and a frame's work is bounded. Times are
/// printed; they decide nothing.
void SchedulerTest::manyTasksAndChoicesStayCheap() {
  const auto sample = makeSample(60);
  storeChoices(*sample, 100'000);
  SessionScript script;
  Document document(scripted(script));
  SchedulerView view(document);
  view.resize(900, 700);
  view.show();
  openSample(document, *sample);
  QTRY_COMPARE_WITH_TIMEOUT(view.choices()->count(), 100'000, 30'000);
  view.choices()->show(50'000);
  QTRY_VERIFY(view.choiceWords().contains(QStringLiteral("its turn 50001"), Qt::CaseInsensitive));

  TuningHistory history;
  std::vector<TaskRow> rows(200);
  std::vector<TaskSummary> summaries(200);
  std::vector<AllocationTask> tasks;
  for (int i = 0; i < 200; ++i) {
    rows[i].id = summaries[i].task = i + 1;
    tasks.push_back({i + 1, i, i < 8});
  }
  history.reset(rows, summaries);
  for (int trial = 1; trial <= 1'000'000; ++trial)
    history.add({trial, trial * 0.02, 1e-3, 1 + trial % 200, trial});
  QElapsedTimer timer;
  timer.start();
  const Allocation shown = allocation(history, tasks, XAxis::WallTime, false, 320);
  qInfo("bands of a million trials of 200 tasks: %lld ms", static_cast<long long>(timer.elapsed()));
  QCOMPARE(shown.bands.size(), std::size_t(9));
}

void SchedulerTest::theTableSteers() {
  const auto sample = makeSample(60);
  SessionScript script;
  Document document(scripted(script));
  SchedulerView view(document);
  view.resize(1100, 700);
  view.show();
  openSample(document, *sample);
  QAbstractItemModel* model = view.table()->model();
  const RowId task = sample->tasks[1];
  QVERIFY(model->setData(model->index(1, SchedulerModel::Pinned), Qt::Checked, Qt::CheckStateRole));
  QCOMPARE(document.session().task(task)->mode, TaskMode::Pinned);
  QTRY_VERIFY(said(script, SetTaskMode{task, TaskMode::Pinned}));
  // Pausing a pinned task frees it from the pin.
  QVERIFY(model->setData(model->index(1, SchedulerModel::Paused), Qt::Checked, Qt::CheckStateRole));
  QCOMPARE(model->index(1, SchedulerModel::Pinned).data(Qt::CheckStateRole).toInt(),
           int(Qt::Unchecked));
  QTRY_VERIFY(said(script, SetTaskMode{task, TaskMode::Paused}));
  document.undoStack().undo();
  QCOMPARE(document.session().task(task)->mode, TaskMode::Pinned);
  document.undoStack().undo();
  QCOMPARE(document.session().task(task)->mode, TaskMode::Free);
  QTRY_COMPARE(script.commands.back(), Command(SetTaskMode{task, TaskMode::Free}));
  // A click on the slider, well to the right.
  const QModelIndex cell = model->index(2, SchedulerModel::Importance);
  view.table()->scrollTo(cell);
  const QRect rect = view.table()->visualRect(cell);
  QStyleOptionViewItem option;
  option.rect = rect;
  option.fontMetrics = QFontMetrics(view.table()->font());
  const QRect groove = ImportanceSlider::groove(option);
  QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {}, groove.center());
  QVERIFY(document.session().task(sample->tasks[2])->importance != 1 ||
          ImportanceSlider::importanceAt(0.5) == 1);
  QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {},
                    QPoint(groove.right(), groove.center().y()));
  QCOMPARE(document.session().task(sample->tasks[2])->importance, 8.0);
  QTRY_VERIFY(said(script, SetImportance{sample->tasks[2], 8}));
  QVERIFY(!model->setData(cell, -1.0));
  // A click on an area selects its task.
  QTRY_VERIFY(view.plot()->shown().bands.size() == 3);
}

void SchedulerTest::sliderKnowsItsPlaces() {
  QCOMPARE(ImportanceSlider::importanceAt(0), 0.0);
  QCOMPARE(ImportanceSlider::importanceAt(-3), 0.0);
  QCOMPARE(ImportanceSlider::importanceAt(1), 8.0);
  for (const double value : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0})
    QCOMPARE(ImportanceSlider::importanceAt(ImportanceSlider::placeOf(value)), value);
  QCOMPARE(ImportanceSlider::placeOf(1000), 1.0);
}

void SchedulerTest::tunesForSoLong() {
  const auto sample = makeSample(60, SessionStatus::Finished);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  const Plan before = planOf(document.session().config());
  const double spent = document.session().progress().wallSeconds;
  QVERIFY(document.steering().canTuneLonger());
  document.steering().tuneFor(120);
  QTRY_VERIFY(document.session().isRunning());
  const Plan plan = planOf(document.session().config());
  QVERIFY(plan.maxSeconds >= spent + 120 && plan.maxSeconds < spent + 122);
  QVERIFY(plan.trials >= 60 + 1200);
  // The session knows its budgets before it starts.
  QVERIFY(said(script, SetTimeBudget{plan.maxSeconds}));
  QVERIFY(said(script, SetTrialBudget{plan.trials}));
  QCOMPARE(script.commands.back(), Command(Start{}));
  document.undoStack().undo();
  QCOMPARE(planOf(document.session().config()).maxSeconds, before.maxSeconds);
  QCOMPARE(planOf(document.session().config()).trials, before.trials);
}

/// Than the form shows: what nobody touched is not applied.
void SchedulerTest::aFinerShareIsNoEdit() {
  const auto sample = makeSample(60);
  SessionScript script;
  Document document(scripted(script));
  PlanForm form(document);
  form.show();
  openSample(document, *sample);
  document.steering().steer(Start{});
  QTRY_VERIFY(document.session().isRunning());
  SessionConfig finer = document.session().config();
  finer.epsilon = 0.0125;
  script.tell(SettingsChanged{"a finer share", toJson(finer).dump(),
                              toJson(document.session().config()).dump()});
  QTRY_COMPARE(document.session().config().epsilon, 0.0125);
  for (const QPushButton* button : form.findChildren<QPushButton*>())
    QVERIFY(!button->isEnabled());
}

void SchedulerTest::planIsAppliedInOrder() {
  const auto sample = makeSample(60);
  SessionScript script;
  Document document(scripted(script));
  PlanForm form(document);
  form.show();
  openSample(document, *sample);
  auto* apply = form.findChildren<QPushButton*>().at(0);
  QVERIFY(!apply->isEnabled());
  const auto combo = [&](const char* name) {
    for (QComboBox* box : form.findChildren<QComboBox*>())
      if (box->accessibleName() == QLatin1String(name)) return box;
    return static_cast<QComboBox*>(nullptr);
  };
  const auto spin = [&](const char* name) {
    for (QSpinBox* box : form.findChildren<QSpinBox*>())
      if (box->accessibleName() == QLatin1String(name)) return box;
    return static_cast<QSpinBox*>(nullptr);
  };
  SetSearchOptions roundRobin{searchOptions(document.session().config())};
  roundRobin.options.scheduler = "round-robin";
  combo("Scheduler")->setCurrentText(QStringLiteral("round-robin"));
  apply->click();
  QTRY_COMPARE(script.commands, (std::vector<Command>{roundRobin}));
  script.commands.clear();
  combo("Scheduler")->setCurrentText(QStringLiteral("gradient"));
  combo("Objective")->setCurrentIndex(3);
  combo("Policy")->setCurrentText(QStringLiteral("evolutionary"));
  spin("Trials per round")->setValue(4);
  spin("Trial budget")->setValue(5000);
  QVERIFY(apply->isEnabled());
  apply->click();
  QTRY_VERIFY(said(script, SetTrialBudget{5000}));
  SetSearchOptions gradient = roundRobin;
  gradient.options.policy = "evolutionary";
  gradient.options.scheduler = "gradient";
  gradient.options.trialsPerRound = 4;
  const Objective f1, f4{ObjectiveKind::EarlyStop, {}, 5};
  const std::vector<Command> expected{gradient, SetObjective{f4}, SetTrialBudget{5000}};
  QCOMPARE(script.commands, expected);
  QCOMPARE(document.session().config().objective.kind, ObjectiveKind::EarlyStop);
  QVERIFY(!apply->isEnabled());
  script.commands.clear();
  // Undone the other way round: f1 first, because round-robin takes no f4.
  document.undoStack().undo();
  const std::vector<Command> back{SetObjective{f1}, roundRobin, SetTrialBudget{1000}};
  QTRY_COMPARE(script.commands, back);
  QCOMPARE(combo("Scheduler")->currentText(), QStringLiteral("round-robin"));
  // What cannot be is said, and cannot be applied.
  combo("Scheduler")->setCurrentText(QStringLiteral("gradient"));
  combo("Objective")->setCurrentIndex(1);
  QVERIFY(!apply->isEnabled());
  SessionConfig smaller = document.session().config();
  smaller.trials = 70;
  script.tell(SettingsChanged{"trial budget 70 (was 1000)", toJson(smaller).dump(),
                              toJson(document.session().config()).dump()});
  QTRY_COMPARE(document.session().config().trials, std::int64_t(70));
  QCOMPARE(document.session().progress().budget, std::int64_t(70));
}

void SchedulerTest::refusalsAreTold() {
  const auto sample = makeSample(60);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  document.steering().start();
  QTRY_VERIFY(document.session().isRunning());
  QSignalSpy warnings(&document.notices(), &Notices::warned);
  script.tell(CommandRefused{SeedWith{}, "the program is illegal"});
  QTRY_COMPARE(warnings.count(), 1);
  QVERIFY(warnings[0][0].toString().contains(QStringLiteral("the program is illegal")));
}

void SchedulerTest::importanceKeepsItsThousandths_data() {
  QTest::addColumn<QString>("editor");
  for (const char* editor : {"task table", "slider", "menu"})
    QTest::newRow(editor) << editor;
}

/// Wherever it is edited: an eighth and the largest are taken as they are, and an editor that is
/// left without a change leaves it at that.
void SchedulerTest::importanceKeepsItsThousandths() {
  QFETCH(QString, editor);
  const auto sample = makeSample(60);
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.show();
  window.openFile(sample->path);
  Document& document = window.document();
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  const RowId task = sample->tasks[1];
  document.selection().selectTask(task);
  TaskView tasks(document);
  SchedulerView scheduler(document);
  const auto edit = [&](std::optional<double> value) {
    if (editor == QStringLiteral("menu")) {
      QTimer::singleShot(0, &window, [&] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        if (value) dialog->findChild<QDoubleSpinBox*>()->setValue(*value);
        dialog->accept();
      });
      return window.steering().importance->trigger();
    }
    const bool slider = editor == QStringLiteral("slider");
    QTableView& view = slider ? *scheduler.table() : static_cast<QTableView&>(tasks);
    view.window()->show();
    const int column = slider ? int(SchedulerModel::Importance) : int(TaskModel::Importance);
    const QModelIndex cell = view.model()->index(1, column);
    view.scrollTo(cell);
    view.edit(cell);
    auto* box = view.viewport()->findChild<QDoubleSpinBox*>();
    QVERIFY(box);
    if (value) box->setValue(*value);
    QTest::keyClick(box, Qt::Key_Return);
    QTRY_VERIFY(!view.viewport()->findChild<QDoubleSpinBox*>());
  };
  for (const double value : {0.125, 1000.0}) {
    edit(value);
    QCOMPARE(document.session().task(task)->importance, value);
  }
  document.steering().steer(SetImportance{task, 0.125});
  edit({});
  QCOMPARE(document.session().task(task)->importance, 0.125);
}

void SchedulerTest::actionsDriveEveryCommand() {
  const auto sample = makeSample(60);
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QTRY_VERIFY(!window.document().session().historyLoading());
  SteeringActions& actions = window.steering();
  const RowId task = sample->tasks[0];
  window.document().selection().selectTask(task);
  const RowId best = window.document().session().task(task)->summary.bestRecord;
  QVERIFY(best > 0);
  for (const QAction* action : actions.taskActions() + actions.recordActions()) {
    QVERIFY(action->isEnabled());
    QVERIFY(std::find(window.actions().all().begin(), window.actions().all().end(), action) !=
            window.actions().all().end()); // so the palette has it
  }
  actions.pinTask->trigger();
  QTRY_VERIFY(said(script, SetTaskMode{task, TaskMode::Pinned}));
  QTRY_VERIFY(actions.pinTask->isChecked());
  actions.pauseTask->trigger();
  QTRY_VERIFY(said(script, SetTaskMode{task, TaskMode::Paused}));
  QTRY_VERIFY(!actions.pinTask->isChecked());
  actions.measureNow->trigger();
  QTRY_VERIFY(said(script, MeasureProgram{task, {best, {}}}));
  actions.seed->trigger();
  QTRY_VERIFY(said(script, SeedWith{task, {best, {}}, true}));
  QTRY_VERIFY(actions.seed->isChecked());
  window.document().undoStack().undo();
  QTRY_VERIFY(said(script, SeedWith{task, {best, {}}, false}));
  actions.forget->trigger();
  QTRY_VERIFY(said(script, Forget{{best}, true}));
  window.document().undoStack().undo();
  QTRY_VERIFY(said(script, Forget{{best}, false}));
  actions.restore->trigger();
  window.document().selection().selectTask(0);
  for (const QAction* action : actions.taskActions() + actions.recordActions())
    QVERIFY(!action->isEnabled());
}

/// Nothing is done, least of all with the record that is shown.
void SchedulerTest::moreSelectedThanCanBeNamed() {
  const auto sample = makeSample(60);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  document.selection().selectTask(sample->tasks[0]);
  SelectedRecords selected{SelectedRecords::kMost + 1, {}};
  Actions actions(document);
  SteeringActions steering(
      document, actions, [&] { return selected; }, nullptr);
  QSignalSpy warned(&document.notices(), &Notices::warned);
  int crossings = 0;
  connect(&document.selection(), &SharedSelection::crossingWanted, this, [&] { ++crossings; });
  for (QAction* action : {steering.cross, steering.forget, steering.restore}) {
    QVERIFY(action->isEnabled());
    action->trigger();
    QVERIFY(warned.takeFirst().first().toString().startsWith(QStringLiteral("100,001 records")));
  }
  selected = {3, {sample->records[1]}}; // the others are being read
  steering.forget->trigger();
  QCOMPARE(warned.count(), 1);
  QCOMPARE(crossings, 0);
  QVERIFY(script.commands.empty() && document.undoStack().count() == 0);
  selected.rows = 1;
  steering.forget->trigger();
  QTRY_VERIFY(said(script, Forget{{sample->records[1]}, true}));
}

/// With a real session on a made-up machine: the record goes from lists, bests and curves, and
/// comes back.
void SchedulerTest::forgettingIsSeenEverywhere() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.nwdb"));
  SessionConfig config;
  config.trials = 60;
  const RowId id = made_up::makeSession(path, config);
  made_up::runToEnd(path, id);
  Document document(realSessions(made_up::measureAll));
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  const TaskSummary before = document.session().tasks()[0].summary;
  const double total = bestTotal(document.session().tasks());
  const std::size_t points = document.session().history().trialCount();
  QSignalSpy reread(&document.follower(), &SessionFollower::recordsReread);
  document.steering().steer(Forget{{before.bestRecord}});
  QTRY_COMPARE(reread.count(), 1);
  QTRY_VERIFY(!document.session().historyLoading());
  QVERIFY(document.session().tasks()[0].summary.bestRecord != before.bestRecord);
  QVERIFY(bestTotal(document.session().tasks()) > total);
  QCOMPARE(document.session().history().trialCount(), points - 1);
  document.undoStack().undo();
  QTRY_COMPARE(reread.count(), 2);
  QTRY_VERIFY(!document.session().historyLoading());
  QCOMPARE(document.session().tasks()[0].summary.bestRecord, before.bestRecord);
  QCOMPARE(bestTotal(document.session().tasks()), total);
  QCOMPARE(document.session().history().trialCount(), points);
  // Measured again without starting the search.
  document.selection().selectTask(document.session().tasks()[0].row.id);
  document.steering().steer(
      MeasureProgram{document.selection().current().task, {before.bestRecord, {}}});
  QTRY_COMPARE(document.session().progress().trials, std::int64_t(61));
  QCOMPARE(document.session().progress().budget, std::int64_t(61));
  QCOMPARE(document.session().status(), SessionStatus::Finished);
}

/// Start, pin a task in the middle, see the next choices follow, and free it again.
void SchedulerTest::aRunningSessionFollows() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.nwdb"));
  SessionConfig config;
  config.trials = 1'000'000;
  config.scheduler = "gradient";
  config.trialsPerRound = 8;
  made_up::makeSession(path, config);
  Document document(realSessions(made_up::measureAll));
  SchedulerView view(document);
  view.resize(900, 700);
  view.show();
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  std::vector<RowId> chosen;
  bool told = false;
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          [&](const std::vector<Event>& events) {
            for (const Event& event : events) {
              if (const auto* choice = std::get_if<TaskChosen>(&event))
                chosen.push_back(choice->task);
              if (!std::holds_alternative<TaskModeChanged>(event)) continue;
              chosen.clear();
              told = true;
            }
          });
  document.steering().start();
  QTRY_VERIFY(chosen.size() > 5);
  const RowId task = document.session().tasks()[1].row.id;
  document.steering().steer(SetTaskMode{task, TaskMode::Pinned});
  QTRY_VERIFY(told && chosen.size() > 5);
  QCOMPARE(std::count(chosen.begin(), chosen.end(), task), std::ptrdiff_t(chosen.size()));
  QTRY_VERIFY(view.choiceWords().contains(QStringLiteral("Pinned by the user")));
  document.steering().pause();
  QTRY_COMPARE(document.session().status(), SessionStatus::Paused);
}

NW_TEST_GUI(SchedulerTest)

} // namespace nestwright::scheduler_test

#include "scheduler.moc"
