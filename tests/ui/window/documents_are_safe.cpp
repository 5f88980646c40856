/// What a person has open is not taken from them: not by a new session, not by a file that cannot
/// be opened, not by a program that tunes the same session.

#include "core/record/store/session_rows.h"
#include "core/session/run/session_lock.h"
#include "tests/support/test_program.h"
#include "tests/ui/as_nobody.h"
#include "tests/ui/fixture.h"
#include "tests/ui/opened_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/steering.h"
#include "ui/kit/message_page.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/status_line.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include <algorithm>

namespace nestwright::documents_are_safe_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The control below `root` that says this.
template <class Control>
Control* saying(const QWidget& root, const QString& text) {
  for (Control* control : root.findChildren<Control*>())
    if (control->text().remove(QLatin1Char('&')).contains(text)) return control;
  return nullptr;
}

/// Does this to the dialog that opens next.
template <class Dialog>
void whenAsked(std::function<void(Dialog&)> act) {
  QTimer::singleShot(0, qApp, [act] {
    auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
    QVERIFY2(dialog, "nothing is asked");
    act(*dialog);
  });
}

SessionConfig smallConfig() {
  SessionConfig config;
  config.subjects = {"matmul:m=32,n=32,k=32"};
  config.seed = 7;
  return config;
}

QString damagedFile(const QTemporaryDir& folder) {
  const QString path = folder.filePath(QStringLiteral("broken.nwdb"));
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) file.write(QByteArray(5000, 'x'));
  return path;
}

/// A window in which a session runs.
struct Tuning {
  SessionScript script;
  OpenedSample opened{30, scripted(script)};
  MainWindow& window = opened.window;
  QSignalSpy asked{&window, &MainWindow::windowRequested};

  Tuning() {
    window.actions().start->trigger();
    [this] { QTRY_VERIFY(window.document().session().isRunning()); }();
  }
  bool goesOn() {
    return window.document().session().isRunning() && script.alive == 1 &&
           window.document().file().path() == opened.sample->path;
  }
};

class DocumentsAreSafe : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }
  void init() {
    QSettings().clear();
    Settings::setFolder(folder_.path());
  }

  void aNewSessionLeavesTheOneThatRuns();
  void aNewSessionMayPauseTheOneThatRuns();
  void anotherFileAsksFirst_data();
  void anotherFileAsksFirst();
  void whatIsWrongWithASessionIsMendedInItsDialog();
  void aSessionOfTheCommandLineIsMendedInItsDialog();
  void aFileThatCannotBeOpenedLeavesTheDocument();
  void anUnwritableDocumentIsOpenedForReading_data();
  void anUnwritableDocumentIsOpenedForReading();
  void aRefusedStartIsNoFailure();
  void whoTunesElsewhereIsTold();
  void aThemeOfTheCommandLineIsNotRemembered();

 private:
  QTemporaryDir settings_, folder_;
};

void DocumentsAreSafe::aNewSessionLeavesTheOneThatRuns() {
  Tuning tuning;
  const QString path = folder_.filePath(QStringLiteral("own.nwdb"));
  whenAsked<NewSessionDialog>([&](NewSessionDialog& dialog) {
    dialog.setConfig(smallConfig());
    dialog.setPath(path);
    const QLabel* told = saying<QLabel>(dialog, QStringLiteral("is being tuned in this window"));
    QVERIFY(told && told->isVisible());
    QVERIFY(told->text().contains(QStringLiteral("30")));
    QVERIFY(!dialog.startNow()); // two at once would disturb each other
    dialog.accept();
  });
  tuning.window.actions().newSession->trigger();
  QCOMPARE(tuning.asked.count(), 1);
  QCOMPARE(tuning.asked.front().front().toStringList(),
           (QStringList{path, QStringLiteral("--session"), QStringLiteral("1")}));
  QCOMPARE(RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().all().size(),
           std::size_t(1));
  QVERIFY(tuning.goesOn());
}

void DocumentsAreSafe::aNewSessionMayPauseTheOneThatRuns() {
  Tuning tuning;
  const QString path = folder_.filePath(QStringLiteral("here.nwdb"));
  whenAsked<NewSessionDialog>([&](NewSessionDialog& dialog) {
    dialog.setConfig(smallConfig());
    dialog.setPath(path);
    auto* here = saying<QRadioButton>(dialog, QStringLiteral("Pause it"));
    QVERIFY(here);
    here->click();
    QVERIFY(dialog.startNow());
    saying<QCheckBox>(dialog, QStringLiteral("Start tuning"))->setChecked(false);
    dialog.accept();
  });
  tuning.window.actions().newSession->trigger();
  QTRY_COMPARE(tuning.window.document().file().path(), path);
  QTRY_COMPARE(tuning.window.document().state(), DocumentState::Ready);
  QCOMPARE(tuning.asked.count(), 0);
  QCOMPARE(tuning.script.alive, 0);
}

void DocumentsAreSafe::anotherFileAsksFirst_data() {
  QTest::addColumn<QString>("answer");
  QTest::newRow("own window") << QStringLiteral("New Window");
  QTest::newRow("here") << QStringLiteral("Pause and Open");
  QTest::newRow("cancel") << QStringLiteral("Cancel");
}

void DocumentsAreSafe::anotherFileAsksFirst() {
  QFETCH(QString, answer);
  const auto other = makeSample(12);
  Tuning tuning;
  whenAsked<QMessageBox>([&](QMessageBox& box) {
    QVERIFY(box.text().contains(QStringLiteral("is being tuned")));
    QVERIFY(box.informativeText().contains(QFileInfo(other->path).fileName()));
    QVERIFY(box.defaultButton()->text().contains(QStringLiteral("New Window")));
    auto* button = saying<QPushButton>(box, answer);
    QVERIFY(button);
    button->click();
  });
  tuning.window.openFile(other->path);
  if (answer == QStringLiteral("Pause and Open")) {
    QTRY_COMPARE(tuning.window.document().file().path(), other->path);
    QTRY_COMPARE(tuning.window.document().session().progress().trials, std::int64_t(12));
    QCOMPARE(tuning.script.alive, 0);
    return;
  }
  const bool own = answer == QStringLiteral("New Window");
  QCOMPARE(tuning.asked.count(), own ? 1 : 0);
  if (own) QCOMPARE(tuning.asked.front().front().toStringList(), QStringList{other->path});
  QVERIFY(tuning.goesOn());
}

void DocumentsAreSafe::whatIsWrongWithASessionIsMendedInItsDialog() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  QTemporaryDir gone;
  QVERIFY(gone.isValid());
  const QString path = folder_.filePath(QStringLiteral("mended.nwdb"));
  whenAsked<NewSessionDialog>([&](NewSessionDialog& dialog) {
    dialog.setConfig(smallConfig());
    dialog.setPath(gone.filePath(QStringLiteral("lost.nwdb")));
    QVERIFY(gone.remove()); // behind the dialog's back
    dialog.accept();
    QVERIFY(saying<QLabel>(dialog, QStringLiteral("Dividing the network"))->isVisible());
    QTRY_VERIFY(saying<QLabel>(dialog, QStringLiteral("could not be made")));
    QVERIFY(dialog.isVisible());
    QVERIFY(saying<QLabel>(dialog, QStringLiteral("could not be made"))->isVisible());
    QCOMPARE(dialog.config().seed, std::uint64_t(7)); // nothing has to be written again
    QCOMPARE(window.document().file().path(), opened.sample->path);
    dialog.setPath(path);
    QVERIFY(!saying<QLabel>(dialog, QStringLiteral("could not be made")));
    saying<QCheckBox>(dialog, QStringLiteral("Start tuning"))->setChecked(false);
    dialog.accept();
  });
  window.actions().newSession->trigger();
  QTRY_COMPARE(window.document().file().path(), path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
}

void DocumentsAreSafe::aSessionOfTheCommandLineIsMendedInItsDialog() {
  MainWindow window(coreCatalogue());
  window.show();
  const QString path = QStringLiteral("/nowhere/at/all.nwdb");
  window.makeSession(path, smallConfig(), true);
  QTRY_COMPARE(window.document().state(), DocumentState::Failed);
  bool seen = false;
  whenAsked<NewSessionDialog>([&](NewSessionDialog& dialog) {
    seen = true;
    QCOMPARE(dialog.path(), path);
    QCOMPARE(dialog.config().subjects, smallConfig().subjects);
    QCOMPARE(dialog.config().seed, std::uint64_t(7));
    QVERIFY(dialog.startNow());
    QVERIFY(saying<QLabel>(dialog, QStringLiteral("could not be made")));
    dialog.reject();
  });
  saying<QPushButton>(*window.messagePage(), QStringLiteral("Change the Settings"))->click();
  QVERIFY(seen);
  QCOMPARE(window.document().state(), DocumentState::Empty);
}

void DocumentsAreSafe::aFileThatCannotBeOpenedLeavesTheDocument() {
  SessionScript script;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  QWidget* panels = window.page();
  window.openFile(damagedFile(folder_));
  QTRY_COMPARE(window.page(), static_cast<QWidget*>(window.messagePage()));
  QVERIFY(window.messagePage()->text().contains(QStringLiteral("broken.nwdb could not be opened")));
  QCOMPARE(window.document().state(), DocumentState::Ready);
  QCOMPARE(window.document().file().path(), opened.sample->path);
  QCOMPARE(Settings::recentFiles(), QStringList{opened.sample->path});
  saying<QPushButton>(*window.messagePage(), QStringLiteral("Back to sample"))->click();
  QCOMPARE(window.page(), panels);
  QCOMPARE(window.document().session().progress().trials, std::int64_t(30));
}

void DocumentsAreSafe::anUnwritableDocumentIsOpenedForReading_data() {
  QTest::addColumn<int>("ofFolder");
  QTest::addColumn<int>("ofFile");
  QTest::newRow("file") << 0777 << 0444;
  QTest::newRow("folder") << 0555 << 0666;
  QTest::newRow("both") << 0555 << 0444;
}

void DocumentsAreSafe::anUnwritableDocumentIsOpenedForReading() {
  QFETCH(int, ofFolder);
  QFETCH(int, ofFile);
  const auto sample = makeSample(30);
  const UnwritableByNobody unwritable(sample->folder.path(), ofFolder, sample->path, ofFile);
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.show();
  window.openFile(sample->path, true);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QTRY_VERIFY(!window.document().session().historyLoading());
  QCOMPARE(window.document().session().progress().trials, std::int64_t(30));
  QVERIFY2(window.banner()->text().contains(QStringLiteral("read-only")),
           qPrintable(window.banner()->text()));
  QVERIFY(!window.actions().start->isEnabled());
  QCOMPARE(script.alive, 0);
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

void DocumentsAreSafe::aRefusedStartIsNoFailure() {
  SessionScript script;
  script.answers = false;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  window.actions().start->trigger();
  QTRY_COMPARE(script.alive, 1);
  script.tell(StateChanged{SessionStatus::Paused, "session 1 is in use by process 12 on host",
                           PauseCause::InUse});
  QTRY_VERIFY(window.banner()->text().contains(QStringLiteral("Not started: session 1 is in use")));
  QCOMPARE(window.document().session().status(), SessionStatus::Paused);
  QVERIFY(!window.document().session().needsHelp());
  QCOMPARE(window.windowTitle(), QStringLiteral("sample – paused"));
  QVERIFY(window.actions().start->isEnabled()); // when that one has ended
}

void DocumentsAreSafe::whoTunesElsewhereIsTold() {
  const auto sample = makeSample(30, SessionStatus::Running);
  auto lock = std::make_unique<SessionLock>(sample->path.toStdString(), sample->session);
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(sample->path);
  // Before there is any new record.
  QTRY_VERIFY(window.document().follower().elsewhere().isBusy());
  QVERIFY(window.windowTitle().contains(QStringLiteral("tuned by another program")));
  QVERIFY(!window.actions().start->isEnabled());
  const QString runner = window.document().follower().elsewhere().runner();
  QVERIFY(!runner.isEmpty());
  const QList<QLabel*> labels = window.statusLine()->findChildren<QLabel*>();
  QTRY_VERIFY(std::ranges::any_of(
      labels, [&](const QLabel* label) { return label->toolTip().contains(runner); }));
  lock.reset(); // killed: nobody has paused it
  QTRY_VERIFY(!window.document().follower().elsewhere().isBusy());
  QVERIFY(window.actions().start->isEnabled());
}

void DocumentsAreSafe::aThemeOfTheCommandLineIsNotRemembered() {
  {
    MainWindow window(coreCatalogue());
    Theme::instance().choose(ThemeChoice::Dark); // as --theme does
    window.actions().zoomIn->trigger();
    QTRY_VERIFY(Settings::zoom() > 1);
    QCOMPARE(Settings::theme(), ThemeChoice::System);
  }
  MainWindow next(coreCatalogue());
  QCOMPARE(Theme::instance().choice(), ThemeChoice::System);
  next.actions().themeDark->trigger();
  QCOMPARE(Settings::theme(), ThemeChoice::Dark);
  next.actions().themeSystem->trigger();
  next.actions().zoomReset->trigger();
  QTRY_COMPARE(Settings::zoom(), 1.0);
}

NW_TEST_GUI(DocumentsAreSafe)

} // namespace nestwright::documents_are_safe_test

#include "documents_are_safe.moc"
