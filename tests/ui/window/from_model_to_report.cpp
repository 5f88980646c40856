/// From a model file to a report in one window, with the mouse and the keyboard: the
/// preview, tuning, re-weighting in the table, what is contested and why, a comparison, a report.
/// Trials are measured by a made-up machine that is noisy. How long the window was busy is printed
/// for each step; only a gross stall fails, since the machine that runs this may be busy with other
/// things.

#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/stalls.h"
#include "tests/ui/timed_application.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/records/filter_line.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_model.h"
#include "ui/records/record_scope.h"
#include "ui/records/record_view.h"
#include "ui/tasks/importance_slider.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/guidance/health_light.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/new_session/preview_form.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTest>
#include <QTimer>
#include <QToolBar>

#include <algorithm>

namespace nestwright::from_model_to_report_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

constexpr double kWantedMilliseconds = 50, kGrossMilliseconds = 1000;

/// The made-up machine at 200 programs a second, whose times scatter by some percent, and on which
/// candidates seem the faster the later they come: many a one looks faster than the best, and is
/// not in turns with it.
SessionFactory noisySessions() {
  const auto luck = std::make_shared<Random>(11);
  const auto candidates = std::make_shared<int>(0);
  return realSessions(
      [luck, candidates](const auto& requests, const auto& onResult, const auto* stop) {
        for (const MeasureRequest& request : requests) {
          if (!stop || !*stop) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          const bool isCandidate = !request.naive && request.repeats == 0;
          made_up::measureAll(
              {request},
              [&](MeasureResult result) {
                double factor = 1 + 0.04 * luck->unit();
                if (isCandidate) factor *= 1 - 0.4 * std::min(1.0, ++*candidates / 200.0);
                for (double& seconds : result.seconds)
                  seconds *= factor;
                onResult(result);
              },
              stop);
        }
      });
}

template <class Widget>
Widget* named(const QWidget& root, const QString& name) {
  for (Widget* widget : root.findChildren<Widget*>())
    if (widget->isVisible() && widget->accessibleName() == name) return widget;
  return nullptr;
}

template <class Button>
Button* button(const QWidget& root, const QString& text) {
  for (Button* each : root.findChildren<Button*>())
    if (each->isVisible() && each->text().remove(QLatin1Char('&')) == text) return each;
  return nullptr;
}

class FromModelToReport : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void fromAModelFileToAReport();

 private:
  void begin();
  void describe(NewSessionDialog& dialog);
  void tune();
  void weight();
  void explainWhatIsContested();
  void compare();
  void report();
  void click(QAction* action);

  QTemporaryDir settings_, folder_;
  std::unique_ptr<MainWindow> window_;
};

void FromModelToReport::initTestCase() {
  qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
  keepSettingsIn(settings_);
  Settings::setFolder(folder_.path());
}

void FromModelToReport::fromAModelFileToAReport() {
  window_ = std::make_unique<MainWindow>(coreCatalogue(), noisySessions());
  window_->resize(1280, 800);
  window_->show();
  QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  auto& application = *static_cast<TimedApplication*>(qApp);
  const std::vector<std::pair<const char*, void (FromModelToReport::*)()>> steps = {
      {"a new session from a model file", &FromModelToReport::begin},
      {"tuning", &FromModelToReport::tune},
      {"re-weighting in the table", &FromModelToReport::weight},
      {"why programs are contested", &FromModelToReport::explainWhatIsContested},
      {"a comparison", &FromModelToReport::compare},
      {"a report", &FromModelToReport::report}};
  for (const auto& [what, step] : steps) {
    spin(300); // what follows from the step before
    application.restart();
    (this->*step)();
    if (QTest::currentTestFailed()) return qWarning("in the step: %s", what);
    application.report(what);
    qInfo("%s: at most %.0f ms of processor time in one event (wanted: %.0f)", what,
          application.longestCpu(), kWantedMilliseconds);
    QVERIFY2(application.longestCpu() < kGrossMilliseconds, what);
  }
  window_->close();
  QTRY_VERIFY_WITH_TIMEOUT(!window_->isVisible(), 30'000);
}

void FromModelToReport::click(QAction* action) {
  QVERIFY2(action->isEnabled(), qPrintable(action->text()));
  QWidget* on =
      window_->findChild<QToolBar*>(QStringLiteral("sessionBar"))->widgetForAction(action);
  QVERIFY2(on && on->isVisible(), qPrintable(action->text()));
  QTest::mouseClick(on, Qt::LeftButton);
}

/// A model file, what it holds, as many trials as that needs, and start.
void FromModelToReport::begin() {
  bool described = false;
  QTimer::singleShot(0, this, [&] {
    auto* dialog = qobject_cast<NewSessionDialog*>(QApplication::activeModalWidget());
    QVERIFY(dialog);
    describe(*dialog);
    described = !QTest::currentTestFailed();
    if (!described) dialog->reject();
  });
  window_->actions().newSession->trigger();
  QVERIFY(described);
  QTRY_VERIFY_WITH_TIMEOUT(window_->document().session().isRunning(), 60'000);
}

void FromModelToReport::describe(NewSessionDialog& dialog) {
  auto* file = button<QRadioButton>(dialog, QStringLiteral("File"));
  QVERIFY(file);
  QTest::mouseClick(file, Qt::LeftButton, {}, QPoint(file->height() / 2, file->height() / 2));
  auto* path = named<QLineEdit>(dialog, QStringLiteral("Model file"));
  QVERIFY(path);
  path->setFocus();
  QTest::keyClicks(path, QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx"));
  const auto* preview = dialog.findChild<PreviewForm*>();
  QTRY_VERIFY_WITH_TIMEOUT(preview->preview() && preview->preview()->tasks.size() > 1, 20'000);
  QVERIFY2(preview->summary()->text().contains(QStringLiteral("tasks")),
           qPrintable(preview->summary()->text()));
  if (preview->takeButton()->isVisible()) QTest::mouseClick(preview->takeButton(), Qt::LeftButton);
  QCOMPARE(dialog.config().trials, preview->preview()->suggestedTrials);
  auto* create = button<QPushButton>(dialog, QStringLiteral("Create"));
  QTRY_VERIFY(create && create->isEnabled());
  QVERIFY(dialog.startNow());
  QTest::mouseClick(create, Qt::LeftButton);
}

/// Until every task has a best and some programs were contested, which is seen as it passes: most
/// claims are settled in the round that made them.
void FromModelToReport::tune() {
  const Document& document = window_->document();
  const HealthLight& light = *window_->statusLine()->health();
  bool claimed = false;
  const auto enough = [&] {
    claimed = claimed || light.health().contested > 0 || light.health().refuted > 0;
    return claimed && std::ranges::all_of(document.session().tasks(), [](const TaskEntry& task) {
             return task.summary.bestRecord > 0 && task.summary.trials >= 8;
           });
  };
  QTRY_VERIFY_WITH_TIMEOUT(enough(), 120'000);
}

/// The first task counts eight times as much, while it is tuned.
void FromModelToReport::weight() {
  TaskView& tasks = *window_->panels().view<TaskView>();
  const QModelIndex cell = tasks.model()->index(0, TaskModel::Importance);
  tasks.scrollTo(cell);
  QStyleOptionViewItem option;
  option.initFrom(&tasks);
  option.rect = tasks.visualRect(cell);
  const QRect groove = ImportanceSlider::groove(option);
  QTest::mouseClick(tasks.viewport(), Qt::LeftButton, {},
                    QPoint(groove.right(), groove.center().y()));
  const auto weighted = [this] {
    return std::ranges::count_if(window_->document().session().tasks(),
                                 [](const TaskEntry& task) { return task.importance == 8; });
  };
  QTRY_COMPARE(weighted(), 1);
  spin(1000);
  QCOMPARE(weighted(), 1); // the session has it, too
  click(window_->actions().pause);
  QTRY_COMPARE_WITH_TIMEOUT(window_->document().session().status(), SessionStatus::Paused, 30'000);
}

void FromModelToReport::explainWhatIsContested() {
  window_->panels().raise(QStringLiteral("records"));
  RecordView& records = *window_->panels().view<RecordView>();
  QTRY_VERIFY(records.isVisible());
  records.scope()->setFollowing(false); // of all tasks
  FilterLine* line = records.bar()->line();
  line->setFocus();
  QTest::keyClicks(line, QStringLiteral("is:contested"));
  QTest::keyClick(line, Qt::Key_Escape); // what is offered
  QTest::keyClick(line, Qt::Key_Return);
  QTRY_VERIFY(records.model()->isRanked());
  QTRY_VERIFY(records.model()->rowCount() > 0);
  const QModelIndex cell = records.model()->index(0, RecordModel::Notes);
  QTRY_VERIFY2(cell.data().toString().contains(QStringLiteral("contested")),
               qPrintable(cell.data().toString()));
  QVERIFY(cell.data(Qt::ToolTipRole).toString().contains(QStringLiteral("in turns")));
}

/// The contested program beside the best of its task.
void FromModelToReport::compare() {
  RecordView& records = *window_->panels().view<RecordView>();
  const QModelIndex cell = records.model()->index(0, RecordModel::Latency);
  records.table()->scrollTo(cell);
  QTest::mouseClick(records.table()->viewport(), Qt::LeftButton, {},
                    records.table()->visualRect(cell).center());
  const RowId record = window_->document().selection().current().record;
  QVERIFY(record > 0);
  ProgramView& program = *window_->panels().view<ProgramView>();
  QTRY_COMPARE(program.program().record, record);
  window_->panels().raise(QStringLiteral("program"));
  auto* compare = button<QToolButton>(*program.head(), QStringLiteral("Compare"));
  QVERIFY(compare);
  QTest::mouseClick(compare, Qt::LeftButton);
  const ProgramCompareView& both = *window_->panels().view<ProgramCompareView>();
  QTRY_VERIFY_WITH_TIMEOUT(both.isComplete() && both.isVisible(), 30'000);
  QVERIFY(!both.verdict().isEmpty());
}

void FromModelToReport::report() {
  const QString file = folder_.filePath(QStringLiteral("hour.html"));
  QAction* ask = nullptr;
  for (QAction* top : window_->menuBar()->actions())
    for (QAction* action : top->menu()->actions())
      if (action->text().remove(QLatin1Char('&')).startsWith(QStringLiteral("Report")))
        ask = action;
  QVERIFY(ask && ask->isEnabled());
  QTimer::singleShot(0, this, [file] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    QVERIFY(dialog);
    dialog->selectFile(file);
    QMetaObject::invokeMethod(dialog, "accept");
  });
  ask->trigger();
  QFile written(file);
  QVERIFY(written.open(QIODevice::ReadOnly));
  const QString html = QString::fromUtf8(written.readAll());
  QVERIFY(html.contains(timeText(bestTotal(window_->document().session().tasks()))));
}

NW_TEST_WITH(FromModelToReport, TimedApplication)

} // namespace nestwright::from_model_to_report_test

#include "from_model_to_report.moc"
