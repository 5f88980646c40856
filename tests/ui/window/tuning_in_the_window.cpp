/// The window on a real session, whose measurements are made up: everything but the kernels is as
/// in the product.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/timed_application.h"
#include "ui/document/steering.h"
#include "ui/program/program_view.h"
#include "ui/records/record_model.h"
#include "ui/records/record_view.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <QAction>
#include <QApplication>
#include <QEventLoop>
#include <QFileInfo>
#include <QTest>
#include <QTimer>

namespace nestwright::tuning_in_the_window_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class TuningTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void fromNewSessionToResume();
  void unknownSubjectLeavesNothing();

 private:
  QTemporaryDir settings_;
};

void TuningTest::initTestCase() {
  keepSettingsIn(settings_);
}

void TuningTest::fromNewSessionToResume() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("matmul.nwdb"));
  SessionConfig config;
  config.subjects = {"matmul:m=64,n=64,k=64"};
  config.trials = 120;
  config.seed = 1;
  std::int64_t made = 0;
  // It cannot be through before the pause.
  const auto allowance = std::make_shared<std::atomic<int>>(60);
  {
    MainWindow window(coreCatalogue(), heldSessions(allowance));
    window.show();
    window.document().create(path, config, true);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().session().isRunning(), 30'000);
    auto& application = *static_cast<TimedApplication*>(qApp);
    application.restart();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().session().progress().trials >= 40, 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().session().history().total().size() > 0, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(window.panels().view<ProgramView>()->program().record > 0, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(window.panels().view<RecordView>()->model()->rowCount() > 0, 30'000);
    application.report("tuning"); // at most 50 ms, 16 ms at the 99th percentile
    window.actions().pause->trigger();
    QTRY_COMPARE(window.document().session().status(), SessionStatus::Paused);
    QTRY_VERIFY(window.actions().start->isEnabled());
    window.actions().start->trigger();
    QTRY_VERIFY(window.document().session().isRunning());
    window.close();
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 10'000);
  }
  {
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().all().front().status, SessionStatus::Paused);
    made = store.records().total();
    QVERIFY(store.check().empty());
  }
  QVERIFY(made >= 40 && made < 120);
  *allowance = 1000;
  Document document(heldSessions(allowance));
  document.open(path);
  QTRY_VERIFY(document.steering().canStart());
  QVERIFY(document.steering().startResumes());
  QCOMPARE(document.session().progress().trials, made);
  document.steering().start();
  QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 60'000);
  QCOMPARE(document.session().progress().trials, 120);
  QTRY_COMPARE(document.session().history().trialCount(), std::size_t(120));
  QVERIFY(!document.steering().canStart());
  document.steering().steer(SetTrialBudget{130});
  QVERIFY(document.steering().canStart());
  document.steering().start();
  QTRY_COMPARE_WITH_TIMEOUT(document.session().progress().trials, 130, 30'000);
}

void TuningTest::unknownSubjectLeavesNothing() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.nwdb"));
  SessionConfig config;
  config.subjects = {"/nowhere/model.onnx"};
  Document document(pacedSessions());
  document.create(path, config, true);
  QTRY_COMPARE(document.state(), DocumentState::Failed);
  QVERIFY2(document.errorText().contains(QStringLiteral("model.onnx")),
           qPrintable(document.errorText()));
  QVERIFY(!QFile::exists(path));
}

NW_TEST_WITH(TuningTest, TimedApplication)

} // namespace nestwright::tuning_in_the_window_test

#include "tuning_in_the_window.moc"
