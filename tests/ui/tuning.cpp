/// The window on a real session, whose measurements are made up: everything but the kernels is as
/// in the product.

#include "tests/session/made_up_machine.h"
#include "tests/ui/fixture.h"
#include "tests/ui/timed_application.h"
#include "ui/actions.h"
#include "ui/main_window.h"
#include "ui/panel.h"
#include "ui/panel_host.h"
#include "ui/program_view.h"
#include "ui/record_model.h"
#include "ui/record_view.h"

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QSettings>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <thread>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

namespace {

/// The made-up machine, 200 times per second.
void measureSlowly(const std::vector<MeasureRequest>& requests,
                   const std::function<void(const MeasureResult&)>& onResult,
                   const std::atomic<bool>* stop) {
  for (const MeasureRequest& request : requests) {
    if (!stop || !*stop) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    made_up::measureAll({request}, onResult, stop);
  }
}

SessionFactory computed() {
  return realSessions(measureSlowly);
}

} // namespace

class TuningTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void fromNewSessionToResume();
  void unknownSubjectLeavesNothing();
  void wholeStory();

 private:
  QTemporaryDir settings_;
};

void TuningTest::initTestCase() {
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_.path());
}

void TuningTest::fromNewSessionToResume() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("matmul.nwdb"));
  SessionConfig config;
  config.subjects = {"matmul:m=64,n=64,k=64"};
  config.trials = 300;
  config.seed = 1;
  std::int64_t made = 0;
  {
    MainWindow window(coreCatalogue(), computed());
    window.show();
    window.document().create(path, config, true);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().isRunning(), 30'000);
    auto& application = *static_cast<TimedApplication*>(qApp);
    application.restart();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().progress().trials >= 40, 60'000);
    QTRY_VERIFY(window.document().history().total().size() > 0);
    QTRY_VERIFY(window.programView()->program().record > 0);
    QTRY_VERIFY(window.recordView()->model()->rowCount() > 0);
    application.report("tuning");
    // Generous, because the machine may be busy; what is printed should be below 16.
    QVERIFY(application.longest() < 100);
    window.actions().pause->trigger();
    QElapsedTimer clock;
    clock.start();
    QTRY_COMPARE(window.document().status(), SessionStatus::Paused);
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
    window.actions().start->trigger();
    QTRY_VERIFY(window.document().isRunning());
    window.close();
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 10'000);
  }
  {
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().front().status, SessionStatus::Paused);
    made = store.recordCount();
    QVERIFY(store.check().empty());
  }
  Document document(computed());
  document.open(path);
  QTRY_VERIFY(document.canStart());
  QVERIFY(document.startResumes());
  QCOMPARE(document.progress().trials, made);
  document.start();
  QTRY_COMPARE_WITH_TIMEOUT(document.status(), SessionStatus::Finished, 60'000);
  QCOMPARE(document.progress().trials, 300);
  QTRY_COMPARE(document.history().trialCount(), std::size_t(300));
  QVERIFY(!document.canStart());
  document.setTrialBudget(310);
  QVERIFY(document.canStart());
  document.start();
  QTRY_COMPARE_WITH_TIMEOUT(document.progress().trials, 310, 30'000);
}

void TuningTest::unknownSubjectLeavesNothing() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.nwdb"));
  SessionConfig config;
  config.subjects = {"/nowhere/model.onnx"};
  Document document(computed());
  document.create(path, config, true);
  QTRY_COMPARE(document.state(), DocumentState::Failed);
  QVERIFY2(document.errorText().contains(QStringLiteral("model.onnx")),
           qPrintable(document.errorText()));
  QVERIFY(!QFile::exists(path));
}

/// What the workbench is for, from a new document to the same screen on the next day.
void TuningTest::wholeStory() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("resnet18.nwdb"));
  SessionConfig config;
  config.subjects = {"resnet18"};
  config.trials = 2000;
  config.trialsPerRound = 4;
  config.policy = "random";
  config.scheduler = "round-robin";
  config.seed = 3;
  QStringList shown;
  RowId chosen = 0, record = 0;
  const auto panels = [](MainWindow& window) {
    QStringList names;
    for (const Panel* panel : window.panels().panels())
      if (!panel->isHidden()) names.append(panel->name());
    return names;
  };
  {
    MainWindow window(coreCatalogue(), computed());
    window.resize(1280, 800);
    window.show();
    Document& document = window.document();
    document.create(path, config, true);
    QTRY_VERIFY_WITH_TIMEOUT(document.isRunning(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(document.progress().trials >= 12, 60'000);
    window.actions().pause->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(document.status(), SessionStatus::Paused, 10'000);

    // Only one task is left in: all further trials are its own.
    chosen = document.tasks().back().row.id;
    for (const TaskEntry& task : std::vector<TaskEntry>(document.tasks()))
      document.setImportance(task.row.id, task.row.id == chosen ? 2 : 0);
    const std::int64_t before = document.task(chosen)->summary.trials;
    std::int64_t others = -before;
    for (const TaskEntry& task : document.tasks())
      others += task.summary.trials;
    window.actions().start->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(document.task(chosen)->summary.trials >= before + 12, 60'000);
    window.actions().pause->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(document.status(), SessionStatus::Paused, 10'000);
    std::int64_t othersNow = -document.task(chosen)->summary.trials;
    for (const TaskEntry& task : document.tasks())
      othersNow += task.summary.trials;
    // The round that was chosen before the change is finished first.
    QVERIFY2(othersNow <= others + config.trialsPerRound, qPrintable(QString::number(othersNow)));

    // One selection for all views.
    document.selectTask(chosen);
    QTRY_VERIFY(window.programView()->program().record > 0);
    QTRY_VERIFY(window.recordView()->model()->rowCount() > 2);
    record = window.recordView()->model()->index(1, 0).data(RecordModel::RecordRole).toLongLong();
    document.select({chosen, record});
    QTRY_COMPARE(window.programView()->program().record, record);

    const QString figure = folder.filePath(QStringLiteral("curves.svg"));
    std::optional<QString> problem;
    window.exportPanel(QStringLiteral("curves"), figure,
                       [&](const QString& text) { problem = text; });
    QTRY_VERIFY(problem);
    QCOMPARE(*problem, QString());
    QVERIFY(QFileInfo(figure).size() > 3000);

    window.actions().layouts[int(Layout::Browse)]->trigger();
    window.panels().panel(QStringLiteral("tasks"))->hide();
    shown = panels(window);
    window.close();
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 10'000);
  }
  MainWindow window(coreCatalogue(), computed());
  window.show();
  window.openFile(path);
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state(), DocumentState::Ready, 10'000);
  QCOMPARE(panels(window), shown);
  QCOMPARE(window.document().selection(), (Selection{chosen, record}));
  QCOMPARE(window.document().task(chosen)->importance, 2.0);
  QTRY_COMPARE(window.programView()->program().record, record);
}

int main(int argc, char** argv) {
  TimedApplication application(argc, argv);
  TuningTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tuning.moc"
