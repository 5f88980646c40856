/// How long the GUI thread is ever busy while a fast session runs: 200 events per second on top of
/// a hundred thousand points. Time is printed; only a gross block fails, since the machine that
/// runs this may be busy with other things.

#include "tests/ui/fixture.h"
#include "tests/ui/timed_application.h"
#include "ui/main_window.h"

#include <QApplication>
#include <QEventLoop>
#include <QSettings>
#include <QTest>
#include <QTimer>

#include <atomic>
#include <thread>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

namespace {

/// Runs the event loop as the application does; QTest::qWait would poll instead of waiting.
void spin(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
  loop.exec();
}

} // namespace

class ResponsivenessTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void windowStaysResponsive();
};

void ResponsivenessTest::windowStaysResponsive() {
  QTemporaryDir settings;
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  constexpr int kBefore = 100'000, kPerSecond = 200;
  const auto sample = makeSample(kBefore);
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.resize(1400, 900);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  auto& application = *static_cast<TimedApplication*>(qApp);
  application.restart();
  window.openFile(sample->path);
  for (int i = 0; i < 100 && (window.document().state() != DocumentState::Ready ||
                              window.document().historyLoading());
       ++i)
    spin(100);
  QCOMPARE(window.document().history().trialCount(), std::size_t(kBefore));
  application.report("opening");

  window.document().selectTask(sample->tasks[0]);
  window.document().start();
  QTRY_VERIFY(window.document().isRunning());
  std::atomic<bool> stop = false;
  std::thread session([&] {
    double best = 0.3e-3;
    for (int trial = kBefore + 1; !stop; ++trial) {
      const RowId task = sample->tasks[trial % 3];
      const double seconds = best * (1 + trial % 50 * 0.01);
      script.tell(Measured{trial, task, trial, trial % 20 ? Verdict::Ok : Verdict::RunError,
                           trial % 20 ? seconds : kUnknown, trial * 0.005, "It crashed."});
      if (trial % 40 == 1)
        script.tell(
            NewBest{task, trial, trial, best *= 0.999, best * 1.001, best * 6, trial * 0.005});
      if (trial % 50 == 0) script.tell(Progress{.trials = trial, .budget = 2 * kBefore});
      std::this_thread::sleep_for(std::chrono::microseconds(1'000'000 / kPerSecond));
    }
  });
  spin(500); // the selection's own work is done
  application.restart();
  spin(5000);
  application.report("tuning");
  const double longest = application.longest();
  stop = true;
  session.join();
  QVERIFY(longest > 0);
  QVERIFY(longest < 100);
}

int main(int argc, char** argv) {
  TimedApplication application(argc, argv);
  ResponsivenessTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "responsiveness.moc"
