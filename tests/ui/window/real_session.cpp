/// A real session in the window, on the real machine: how late the GUI thread answers meanwhile,
/// and how soon a pause is obeyed in whatever the session is doing. Times are printed.

#include "tests/support/test_program.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/stalls.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::real_session_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class RealSessionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void windowAnswersWhileItTunes();

 private:
  void pauseAgainAndAgain(MainWindow& window);

  QTemporaryDir folder_;
};

void RealSessionTest::initTestCase() {
  qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
  keepSettingsIn(folder_);
}

void RealSessionTest::windowAnswersWhileItTunes() {
  // The acceptance measures two minutes: NESTWRIGHT_STALL_SECONDS=120.
  const int seconds = std::max(5, qEnvironmentVariableIntValue("NESTWRIGHT_STALL_SECONDS"));
  SessionConfig config;
  config.subjects = {"resnet18"};
  config.trials = 100'000; // more than it makes here
  config.trialsPerRound = 4;
  config.policy = "evolutionary";
  config.seed = 1;
  MainWindow window(coreCatalogue());
  window.resize(1400, 900);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  window.document().create(folder_.filePath(QStringLiteral("resnet18.nwdb")), config, true);
  QTRY_VERIFY_WITH_TIMEOUT(window.document().session().progress().trials > 0, 120'000);
  {
    Stalls stalls;
    spin(seconds * 1000);
    stalls.report("a real session");
  }
  QVERIFY(window.document().session().isRunning());
  pauseAgainAndAgain(window);
  window.close();
  QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 30'000);
}

/// After other waits each time, so that it meets other phases of a round.
void RealSessionTest::pauseAgainAndAgain(MainWindow& window) {
  qint64 longest = 0;
  constexpr int kPauses = 8;
  for (int i = 0; i < kPauses; ++i) {
    spin(150 + 170 * i);
    QElapsedTimer clock;
    clock.start();
    window.actions().pause->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(window.document().session().status(), SessionStatus::Paused, 60'000);
    longest = std::max(longest, clock.elapsed());
    window.actions().start->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().session().isRunning(), 60'000);
  }
  qInfo("%d pauses: the longest took %lld ms (wanted: 1000)", kPauses, longest);
}

NW_TEST_GUI(RealSessionTest)

} // namespace nestwright::real_session_test

#include "real_session.moc"
