#include "ui/window/main_window.h"

#include "core/session/run/trouble.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/opened_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/document/settings.h"
#include "ui/document/steering.h"
#include "ui/kit/message_page.h"
#include "ui/window/actions.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/new_session/subject_form.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/panels.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

namespace nestwright::main_window_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class WindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void welcomeLoadingReadyClosed();
  void damagedFileIsToldInTheWindow();
  void closingWhileTuningPausesAndSaves();
  void reopeningRestoresPanels();
  void failedSessionIsTold();
  void sessionThatCannotStorePauses();
  void dialogChecksItsFields_data();
  void dialogChecksItsFields();
  void dialogFillsFromText();
  void dialogGivesTheChoice();
  void dialogTakesSeveralNetworks();
  void everyControlHasAName();
  void themeAndZoomChangeEverything();

 private:
  QTemporaryDir settings_;
};

void WindowTest::initTestCase() {
  keepSettingsIn(settings_);
}

void WindowTest::init() {
  QSettings().clear();
}

void WindowTest::welcomeLoadingReadyClosed() {
  const auto sample = makeSample(30);
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.show();
  QWidget* welcome = window.page();
  QVERIFY(welcome->isVisible());
  for (const QDockWidget* panel : window.findChildren<QDockWidget*>())
    QVERIFY(!panel->isVisible());
  window.openFile(sample->path);
  QCOMPARE(window.page(), static_cast<QWidget*>(window.messagePage()));
  QVERIFY(window.messagePage()->text().contains(QStringLiteral("sample.nwdb")));
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  for (const PanelSpec& spec : panelSpecs()) {
    const bool isEmpty = spec.hasData && !spec.hasData(window.document());
    QCOMPARE(window.panels().panel(spec.name)->isHidden(),
             isEmpty || spec.places[std::size_t(ui::Layout::Tune)] == Place::Hidden);
  }
  QCOMPARE(window.windowTitle(), QStringLiteral("sample – paused"));
  QCOMPARE(Settings::recentFiles(), QStringList{sample->path});
  window.actions().close->trigger();
  QTRY_COMPARE(window.page(), welcome);
  QCOMPARE(window.windowTitle(), QStringLiteral("Nestwright"));
}

void WindowTest::damagedFileIsToldInTheWindow() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("broken.nwdb"));
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray(5000, 'x'));
  file.close();
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(path);
  QTRY_COMPARE(window.document().state(), DocumentState::Failed);
  QCOMPARE(window.page(), static_cast<QWidget*>(window.messagePage()));
  QVERIFY(window.messagePage()->text().contains(QStringLiteral("broken.nwdb could not be opened")));
  QVERIFY(!window.actions().start->isEnabled());
  QVERIFY(Settings::recentFiles().isEmpty());
}

void WindowTest::closingWhileTuningPausesAndSaves() {
  const auto sample = makeSample(30);
  SessionScript script;
  auto window = std::make_unique<MainWindow>(coreCatalogue(), scripted(script));
  window->show();
  window->openFile(sample->path);
  QTRY_COMPARE(window->document().state(), DocumentState::Ready);
  window->actions().start->trigger();
  QTRY_VERIFY(window->document().session().isRunning());
  QCOMPARE(window->windowTitle(), QStringLiteral("sample – tuning"));
  window->close();
  QTRY_VERIFY(!window->isVisible());
  QCOMPARE(script.alive, 0); // the session was ended, which pauses and stores it

  // And again, without waiting: the destructor must not hang or lose it either.
  window = std::make_unique<MainWindow>(coreCatalogue(), scripted(script));
  window->openFile(sample->path);
  QTRY_VERIFY(window->document().steering().canStart());
  window->actions().start->trigger();
  QTRY_VERIFY(window->document().session().isRunning());
  window.reset();
  QCOMPARE(script.alive, 0);
}

void WindowTest::reopeningRestoresPanels() {
  const auto sample = makeSample(30);
  QSize size;
  {
    MainWindow window(coreCatalogue());
    window.show();
    window.openFile(sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    window.resize(1234, 777);
    window.findChild<QDockWidget*>(QStringLiteral("programPanel"))->hide();
    size = window.size();
    window.close();
    QTRY_VERIFY(!window.isVisible());
  }
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QVERIFY(window.findChild<QDockWidget*>(QStringLiteral("programPanel"))->isHidden());
  QVERIFY(!window.findChild<QDockWidget*>(QStringLiteral("tasksPanel"))->isHidden());
  QCOMPARE(window.size(), size);
  window.actions().resetLayout->trigger();
  QVERIFY(!window.findChild<QDockWidget*>(QStringLiteral("programPanel"))->isHidden());
}

void WindowTest::failedSessionIsTold() {
  SessionScript script;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  window.actions().start->trigger();
  QTRY_VERIFY(window.document().session().isRunning());
  script.tell(StateChanged{SessionStatus::Failed, "The disk is full."});
  QTRY_VERIFY(window.banner()->text().contains(QStringLiteral("The disk is full.")));
  QVERIFY(window.actions().start->isEnabled()); // one may try again
}

/// Nothing is wrong with the session: it waits until its file can be written again.
void WindowTest::sessionThatCannotStorePauses() {
  SessionScript script;
  OpenedSample opened(30, scripted(script));
  MainWindow& window = opened.window;
  window.actions().start->trigger();
  QTRY_VERIFY(window.document().session().isRunning());
  script.tell(StateChanged{SessionStatus::Paused, "paused by the user"});
  QTRY_VERIFY(!window.document().session().isRunning());
  QVERIFY(window.banner()->isHidden());
  window.actions().start->trigger();
  QTRY_VERIFY(window.document().session().isRunning());
  script.tell(StateChanged{SessionStatus::Paused, "a.nwdb: the disk is full", PauseCause::Trouble});
  QTRY_VERIFY(window.banner()->text().contains(QStringLiteral("a.nwdb: the disk is full")));
  QVERIFY(window.banner()->text().contains(QStringLiteral("has paused")));
  QVERIFY(window.banner()->isVisible());
  QVERIFY(window.actions().start->isEnabled());
  window.actions().start->trigger();
  QTRY_VERIFY(window.document().session().isRunning());
  QVERIFY(window.banner()->isHidden());
  // All that is asked for meanwhile reaches the session that is made anew.
  script.tell(StateChanged{SessionStatus::Paused, "a.nwdb: the disk is full", PauseCause::Trouble});
  QTRY_VERIFY(!window.document().session().isRunning());
  script.commands.clear();
  Steering& steering = window.document().steering();
  for (const double importance : {0.5, 0.25})
    steering.steer(SetImportance{opened.sample->tasks[0], importance});
  window.actions().start->trigger();
  QTRY_VERIFY(window.document().session().isRunning());
  QCOMPARE(script.commands,
           (std::vector<Command>{SetImportance{opened.sample->tasks[0], 0.5},
                                 SetImportance{opened.sample->tasks[0], 0.25}, Start{}}));
}

void WindowTest::dialogChecksItsFields_data() {
  QTest::addColumn<QString>("subject");
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("problem"); // a part of it; empty when all is well
  const QString good = QStringLiteral("matmul:m=64,n=64,k=64"), file = QStringLiteral("a.nwdb");
  QTest::newRow("good") << good << file << "";
  QTest::newRow("unknown parameter") << QStringLiteral("matmul:q=3") << file << "q";
  QTest::newRow("out of range") << QStringLiteral("matmul:m=0") << file << "m";
  QTest::newRow("no number") << QStringLiteral("matmul:m=large") << file << "m";
  QTest::newRow("no such model") << QStringLiteral("/nowhere/model.onnx") << file << "no file";
  QTest::newRow("no name") << good << ""
                           << "Name the file";
  QTest::newRow("a folder") << good << "."
                            << "is a folder";
  QTest::newRow("no such folder") << good << "nowhere/a.nwdb"
                                  << "no folder";
}

void WindowTest::dialogChecksItsFields() {
  QFETCH(QString, subject);
  QFETCH(QString, path);
  QFETCH(QString, problem);
  QTemporaryDir folder;
  NewSessionDialog dialog(coreCatalogue());
  dialog.setSubject(subject);
  dialog.setPath(path.isEmpty() ? path : folder.filePath(path));
  const auto buttons = dialog.findChildren<QPushButton*>();
  const auto create = std::find_if(buttons.begin(), buttons.end(), [](const QPushButton* button) {
    return button->text() == QStringLiteral("Create");
  });
  QVERIFY(create != buttons.end());
  QCOMPARE((*create)->isEnabled(), problem.isEmpty());
  QVERIFY2(problem.isEmpty() ? dialog.problem().isEmpty() : dialog.problem().contains(problem),
           qPrintable(dialog.problem()));
}

void WindowTest::dialogFillsFromText() {
  SubjectForm form(coreCatalogue().operators, QStringLiteral("Operator"));
  form.setText(QStringLiteral("softmax"));
  QCOMPARE(form.list()->currentText(), QStringLiteral("softmax"));
  form.setText(QStringLiteral("matmul:m=96"));
  QCOMPARE(form.list()->currentText(), QStringLiteral("matmul"));
  bool found = false;
  for (QSpinBox* field : form.findChildren<QSpinBox*>()) {
    if (field->accessibleName() != QStringLiteral("m")) continue;
    QCOMPARE(field->value(), 96);
    field->setValue(128);
    found = true;
  }
  QVERIFY(found);
  QVERIFY2(form.text().contains(QStringLiteral("m=128")), qPrintable(form.text()));
}

void WindowTest::dialogGivesTheChoice() {
  QTemporaryDir folder;
  NewSessionDialog dialog(coreCatalogue());
  dialog.setSubject(QStringLiteral("matmul:m=64,n=32,k=16"));
  dialog.setPath(folder.filePath(QStringLiteral("m.nwdb")));
  for (QSpinBox* field : dialog.findChildren<QSpinBox*>()) {
    if (field->accessibleName() == QStringLiteral("Trials")) field->setValue(77);
    if (field->accessibleName() == QStringLiteral("Seed")) field->setValue(5);
    if (field->accessibleName() == QStringLiteral("Threads")) field->setValue(1);
  }
  for (QComboBox* field : dialog.findChildren<QComboBox*>())
    if (field->accessibleName() == QStringLiteral("Next task"))
      field->setCurrentIndex(field->findData(QStringLiteral("gradient")));
  const SessionConfig config = dialog.config();
  QCOMPARE(config.scheduler, std::string("gradient"));
  QCOMPARE(config.subjects.at(0), std::string("matmul:m=64,n=32,k=16"));
  QCOMPARE(config.trials, 77);
  QCOMPARE(config.seed, std::uint64_t(5));
  QCOMPARE(config.measure.threads, 1);
  QVERIFY(dialog.startNow());
}

void WindowTest::dialogTakesSeveralNetworks() {
  QTemporaryDir folder;
  NewSessionDialog dialog(coreCatalogue());
  dialog.setSubject(QStringLiteral("resnet18"));
  dialog.setPath(folder.filePath(QStringLiteral("two.nwdb")));
  const auto field = [&](const char* name) {
    for (QLineEdit* line : dialog.findChildren<QLineEdit*>())
      if (line->accessibleName() == QLatin1String(name)) return line;
    return static_cast<QLineEdit*>(nullptr);
  };
  for (QComboBox* list : dialog.findChildren<QComboBox*>()) {
    if (list->accessibleName() == QStringLiteral("Next task"))
      list->setCurrentIndex(list->findData(QStringLiteral("gradient")));
    if (list->accessibleName() == QStringLiteral("Objective")) list->setCurrentIndex(1);
  }
  QVERIFY(dialog.problem().contains(QStringLiteral("resnet18=10ms")));
  field("Together with")->setText(QStringLiteral("mobilenet_v2 nonsense"));
  QVERIFY2(dialog.problem().contains(QStringLiteral("nonsense")), qPrintable(dialog.problem()));
  field("Together with")->setText(QStringLiteral("mobilenet_v2"));
  field("Required latencies")->setText(QStringLiteral("bert=10ms"));
  QVERIFY2(dialog.problem().contains(QStringLiteral("bert")), qPrintable(dialog.problem()));
  field("Required latencies")->setText(QStringLiteral("mobilenet_v2=4ms"));
  QTRY_COMPARE(dialog.problem(), QString()); // the tasks are counted
  const SessionConfig config = dialog.config();
  QCOMPARE(config.subjects.size(), std::size_t(2));
  QCOMPARE(config.subjects[1], std::string("mobilenet_v2"));
  QCOMPARE(config.objective.kind, ObjectiveKind::LatencyRequirement);
  QCOMPARE(config.objective.secondsOf(0), 0.0);
  QCOMPARE(config.objective.secondsOf(1), 0.004);
}

void WindowTest::everyControlHasAName() {
  const auto sample = makeSample(30);
  MainWindow window(coreCatalogue());
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QStringList nameless;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    const bool control = qobject_cast<const QComboBox*>(widget) ||
                         qobject_cast<const QAbstractItemView*>(widget) ||
                         qobject_cast<const QLineEdit*>(widget);
    if (control && widget->accessibleName().isEmpty() &&
        !qobject_cast<QComboBox*>(widget->parentWidget()) &&
        !widget->inherits("QComboBoxListView") && !widget->inherits("QHeaderView"))
      nameless.append(QString::fromLatin1(widget->metaObject()->className()) +
                      widget->objectName());
  }
  QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(' ')));
}

void WindowTest::themeAndZoomChangeEverything() {
  MainWindow window(coreCatalogue());
  window.show();
  window.actions().themeDark->trigger();
  QTRY_VERIFY(window.palette().color(QPalette::Window).lightness() < 80);
  QVERIFY(QSettings().value("theme").toString() == QStringLiteral("dark"));
  window.actions().themeLight->trigger();
  QTRY_VERIFY(window.palette().color(QPalette::Window).lightness() > 200);
  const int before = QFontMetrics(QApplication::font()).height();
  for (int i = 0; i < 5; ++i)
    window.actions().zoomIn->trigger();
  QTRY_VERIFY(QFontMetrics(QApplication::font()).height() > before);
  window.actions().zoomReset->trigger();
  QTRY_COMPARE(QFontMetrics(QApplication::font()).height(), before);
}

NW_TEST_GUI(WindowTest)

} // namespace nestwright::main_window_test

#include "main_window.moc"
