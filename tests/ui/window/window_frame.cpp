/// The frame around the views: layouts, palette, undo, state of a document, help, tours.

#include "core/record/file/document_file.h"
#include "tests/support/test_program.h"
#include "tests/ui/answered.h"
#include "tests/ui/opened_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/change.h"
#include "ui/document/document_file.h"
#include "ui/document/file_copy.h"
#include "ui/document/notices.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/glossary.h"
#include "ui/lesson/tour.h"
#include "ui/window/actions.h"
#include "ui/window/help_commands.h"
#include "ui/window/help_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/shortcut_editor.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTimer>
#include <QUndoStack>

#include <algorithm>
#include <functional>

namespace nestwright::window_frame_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// Names of the panels that are not hidden.
QStringList shown(MainWindow& window) {
  QStringList names;
  for (const Panel* panel : window.panels().panels())
    if (!panel->isHidden()) names.append(panel->name());
  return names;
}

/// Names of the panels that the layout has a place for.
QStringList placed(Layout layout) {
  QStringList names;
  for (const PanelSpec& spec : panelSpecs())
    if (spec.places[std::size_t(layout)] != Place::Hidden) names.append(spec.name);
  return names;
}

class ShellTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void layoutsShowTheirPanels();
  void ownLayoutComesBack();
  void onePanelFillsTheWindow();
  void panelsHaveHelpAndNames();
  void matchesAreRanked_data();
  void matchesAreRanked();
  void paletteRunsCommands();
  void importanceIsUndone();
  void slidersAreOneChange();
  void documentOpensAsItWasLeft();
  void copyOpensAsTheOriginal();
  void oneCopyIsWrittenAtATime();
  void shortcutsAreKept();
  void everyPageIsReachable();
  void pagesHaveTheirPictures();
  void glossaryExplains();
  void toursPointAtWhatIsThere();
  void runAgainMakesASession();
  void aSecondWindowIsAskedFor();

 private:
  QTemporaryDir settings_;
};

void ShellTest::initTestCase() {
  keepSettingsIn(settings_);
}

void ShellTest::init() {
  QSettings().clear();
}

void ShellTest::layoutsShowTheirPanels() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  for (const Layout layout : {Layout::Browse, Layout::Teach, Layout::Lab, Layout::Tune}) {
    window.actions().layouts[int(layout)]->trigger();
    QStringList wanted = placed(layout);
    if (layout == Layout::Tune) // without a cost model there is nothing in the lab
      wanted.removeIf([](const QString& name) {
        return name == QLatin1String("compare") || name == QLatin1String("cost_model");
      });
    QCOMPARE(shown(window), wanted);
    QVERIFY(window.actions().layouts[int(layout)]->isChecked());
    // Nothing widens the window, and everything that is in front has room.
    QCOMPARE(window.size(), QSize(1280, 800));
    QTest::qWait(50);
    for (const Panel* panel : window.panels().panels())
      if (panel->isVisible() && !panel->view()->visibleRegion().isEmpty())
        QVERIFY2(panel->width() >= 240 && panel->height() >= 120, qPrintable(panel->name()));
  }
}

void ShellTest::ownLayoutComesBack() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  window.panels().panel(QStringLiteral("tasks"))->hide();
  const QStringList mine = shown(window);
  Settings::setLayout(QStringLiteral("my / own"), window.panels().arrangement());
  QCOMPARE(Settings::layoutNames(), QStringList{QStringLiteral("my / own")});
  window.actions().layouts[int(Layout::Browse)]->trigger();
  QVERIFY(shown(window) != mine);
  QVERIFY(window.panels().restore(Settings::layout(QStringLiteral("my / own"))));
  QCOMPARE(shown(window), mine);
  QVERIFY(!window.panels().restore("nonsense"));
  QCOMPARE(shown(window), mine);
  Settings::setLayout(QStringLiteral("my / own"), {});
  QVERIFY(Settings::layoutNames().isEmpty());
}

void ShellTest::onePanelFillsTheWindow() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  const QStringList before = shown(window);
  Panel* program = window.panels().panel(QStringLiteral("program"));
  window.panels().raise(program);
  window.actions().maximise->trigger();
  QCOMPARE(shown(window), QStringList{QStringLiteral("program")});
  QTRY_VERIFY(program->width() > 1200);
  QVERIFY(window.actions().maximise->isChecked());
  window.actions().maximise->trigger();
  QCOMPARE(shown(window), before);
  QVERIFY(!window.actions().maximise->isChecked());
  // What is kept of a maximised window is where everything was before.
  window.panels().toggleMaximised(program);
  const QByteArray kept = window.panels().arrangement();
  window.panels().restore(kept);
  QCOMPARE(shown(window), before);
}

void ShellTest::panelsHaveHelpAndNames() {
  QStringList names, without;
  QStringList keys;
  for (const PanelSpec& spec : panelSpecs()) {
    QVERIFY2(!QKeySequence(spec.key).isEmpty() && !keys.contains(spec.key), qPrintable(spec.name));
    keys.append(spec.key);
    for (const ViewSpec& view : spec.views) {
      QVERIFY2(!names.contains(view.name), qPrintable(view.name));
      names.append(view.name);
      if (helpTitle(view.name).isEmpty()) without.append(view.name);
    }
  }
  QVERIFY2(panelSpecs().size() <= 10, "the window is calm");
  QVERIFY2(without.isEmpty(), qPrintable(without.join(' ')));
}

void ShellTest::matchesAreRanked_data() {
  QTest::addColumn<QString>("typed");
  QTest::addColumn<QString>("better");
  QTest::addColumn<QString>("worse"); // empty: is not found at all
  const auto row = [](const char* name, const char* typed, const char* better, const char* worse) {
    QTest::newRow(name) << QString::fromUtf8(typed) << QString::fromUtf8(better)
                        << QString::fromUtf8(worse);
  };
  row("whole before scattered", "pause", "Pause", "Panel use");
  row("beginning before middle", "zoom", "Zoom In", "Reset Zoom");
  row("word before inside", "in", "Zoom In", "Pinned");
  row("initials", "sac", "Save a Copy", "");
  row("case is the same", "SAVE", "save a copy", "");
  row("order counts", "pst", "Pause or stop", "Stop p");
  row("shorter first", "conv", "Conv 3x3", "Conv 3x3 64→128 on 56x56");
}

void ShellTest::matchesAreRanked() {
  QFETCH(QString, typed);
  QFETCH(QString, better);
  QFETCH(QString, worse);
  QVERIFY(matchScore(typed, better) > 0);
  QVERIFY(matchScore(typed, better) > matchScore(typed, worse));
  QCOMPARE(matchScore(typed, QStringLiteral("xyz")), 0);
  QVERIFY(matchScore(QString(), better) > 0);
}

void ShellTest::paletteRunsCommands() {
  OpenedSample opened(30);
  MainWindow& window = opened.window;
  window.actions().palette->trigger();
  CommandPalette& palette = window.commandPalette();
  QVERIFY(palette.isVisible());
  QVERIFY(palette.items().size() > 20);
  palette.line()->setText(QStringLiteral("matmul 64"));
  QCOMPARE(palette.items().front().title, QStringLiteral("matmul 64x64x64"));
  QTest::keyClick(palette.line(), Qt::Key_Return);
  QVERIFY(!palette.isVisible());
  QCOMPARE(window.document().selection().current().task, opened.sample->tasks[1]);
  palette.popUp();
  palette.line()->setText(QStringLiteral("teach"));
  QTest::keyClick(palette.line(), Qt::Key_Return);
  QVERIFY(window.actions().layouts[int(Layout::Teach)]->isChecked());
  // A command that cannot be used is listed, and does nothing.
  palette.popUp();
  palette.line()->setText(QStringLiteral("Undo"));
  QVERIFY(!palette.items().empty() && !palette.items().front().enabled);
  QTest::keyClick(palette.line(), Qt::Key_Return);
  QVERIFY(palette.isVisible());
  QTest::keyClick(palette.line(), Qt::Key_Escape);
  QVERIFY(!palette.isVisible());
}

void ShellTest::importanceIsUndone() {
  const auto sample = makeSample(30);
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  Document& document = window.document();
  const RowId task = sample->tasks[1];
  QVERIFY(!window.actions().undo->isEnabled());
  document.steering().steer(SetImportance{task, 3});
  QCOMPARE(document.session().task(task)->importance, 3.0);
  QVERIFY(window.actions().undo->text().contains(QStringLiteral("matmul 64x64x64")));
  window.actions().undo->trigger();
  QCOMPARE(document.session().task(task)->importance, 1.0);
  window.actions().redo->trigger();
  QCOMPARE(document.session().task(task)->importance, 3.0);
  document.steering().steer(SetTrialBudget{5000});
  QCOMPARE(document.session().progress().budget, 5000);
  window.actions().undo->trigger();
  QCOMPARE(document.session().progress().budget, 1000);
  QTRY_COMPARE(script.commands.size(), std::size_t(5)); // the session heard of all of it
  document.close();
  QTRY_COMPARE(document.state(), DocumentState::Empty);
  QCOMPARE(document.undoStack().count(), 0);
}

void ShellTest::slidersAreOneChange() {
  QUndoStack stack;
  int value = 0;
  const auto set = [&](int to, const QString& subject) {
    stack.push(new Change(
        QStringLiteral("value"), [&value, to] { value = to; },
        [&value, before = value] { value = before; }, subject));
  };
  for (int to = 1; to <= 5; ++to)
    set(to, QStringLiteral("a"));
  QCOMPARE(stack.count(), 1);
  set(7, QStringLiteral("b"));
  QCOMPARE(stack.count(), 2);
  set(8, QString());
  set(9, QString());
  QCOMPARE(stack.count(), 4);
  while (stack.canUndo())
    stack.undo();
  QCOMPARE(value, 0);
  stack.redo();
  QCOMPARE(value, 5);
}

void ShellTest::documentOpensAsItWasLeft() {
  const auto sample = makeSample(30);
  QStringList panels;
  {
    MainWindow window(coreCatalogue());
    window.resize(1300, 850);
    window.show();
    window.openFile(sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    window.actions().layouts[int(Layout::Browse)]->trigger();
    window.panels().panel(QStringLiteral("program"))->hide();
    panels = shown(window);
    window.document().selection().select({sample->tasks[2], sample->records[7]});
    CurveOptions options;
    options.y = YAxis::SpeedUp;
    options.logarithmic = false;
    window.panels().view<CurveView>()->setOptions(options);
    window.close();
    QTRY_VERIFY(!window.isVisible());
  }
  QSettings().clear(); // another machine
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QCOMPARE(shown(window), panels);
  QVERIFY(window.actions().layouts[int(Layout::Browse)]->isChecked());
  QCOMPARE(window.document().selection().current(),
           (Selection{sample->tasks[2], sample->records[7]}));
  QCOMPARE(window.panels().view<CurveView>()->plot()->options().y, YAxis::SpeedUp);
  QVERIFY(!window.panels().view<CurveView>()->plot()->options().logarithmic);
}

void ShellTest::copyOpensAsTheOriginal() {
  const auto sample = makeSample(500);
  Document document;
  openSample(document, *sample);
  document.selection().selectTask(sample->tasks[2]);
  document.file().keepViewState(R"({"session": 1, "task": )" + std::to_string(sample->tasks[2]) +
                                R"(, "record": 0})");
  QTRY_VERIFY(kept(sample->path.toStdString(), kViewStateKey).has_value());
  const QString copy = sample->folder.filePath(QStringLiteral("copy.nwdb"));
  FileCopy copying;
  QSignalSpy ended(&copying, &FileCopy::ended);
  copying.begin(sample->path, copy);
  QTRY_COMPARE(ended.size(), 1);
  QVERIFY(ended[0][1].toBool());
  Document other;
  other.open(copy);
  QTRY_COMPARE(other.state(), DocumentState::Ready);
  QCOMPARE(other.session().progress().trials, 500);
  QCOMPARE(other.selection().current().task, sample->tasks[2]);
  copying.begin(sample->path, QStringLiteral("/nowhere/copy.nwdb"));
  QTRY_COMPARE(ended.size(), 2);
  QVERIFY(!ended[1][1].toBool() && !ended[1][2].toString().isEmpty());
}

/// Another copy that is wanted meanwhile is refused in words.
void ShellTest::oneCopyIsWrittenAtATime() {
  OpenedSample opened(500);
  MainWindow& window = opened.window;
  QSignalSpy warned(&window.document().notices(), &Notices::warned);
  const auto saveAs = [&](const QString& file, const std::function<void()>& beforeThat) {
    QTimer::singleShot(0, &window, [file, beforeThat] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog);
      beforeThat();
      dialog->selectFile(file);
      QMetaObject::invokeMethod(dialog, "accept");
    });
    window.actions().saveCopy->trigger();
  };
  const QString first = opened.sample->folder.filePath(QStringLiteral("first.nwdb"));
  const QString second = opened.sample->folder.filePath(QStringLiteral("second.nwdb"));
  // The first one begins while the second is being named, so that no event comes in between.
  saveAs(second, [&] { saveAs(first, [] {}); });
  QCOMPARE(warned.count(), 1);
  QVERIFY2(warned[0][0].toString().contains(QStringLiteral("A copy is being written")),
           qPrintable(warned[0][0].toString()));
  QTRY_VERIFY(QFile::exists(first));
  QVERIFY(!QFile::exists(second));
}

void ShellTest::shortcutsAreKept() {
  {
    MainWindow window(coreCatalogue());
    QVERIFY(window.actions().pause->shortcut() == QKeySequence(Qt::Key_F6));
    QVERIFY(!ownerOf(window.actions(), QKeySequence(Qt::Key_F6)).isEmpty());
    // No two commands have the same keys.
    QStringList seen;
    for (const QAction* action : window.actions().all())
      for (const QKeySequence& keys : action->shortcuts()) {
        QVERIFY2(!seen.contains(keys.toString()), qPrintable(keys.toString()));
        seen.append(keys.toString());
      }
    Settings::setShortcuts(window.actions().pause->whatsThis(), QStringLiteral("Ctrl+Alt+P"));
  }
  MainWindow window(coreCatalogue());
  QCOMPARE(window.actions().pause->shortcut(), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_P));
  QVERIFY(ownerOf(window.actions(), QKeySequence(Qt::Key_F6)).isEmpty());
}

void ShellTest::everyPageIsReachable() {
  HelpWindow help;
  QVERIFY(helpPages().startsWith(QStringLiteral("index")));
  for (const QString& page : helpPages()) {
    help.showPage(page);
    QCOMPARE(help.page(), page);
    auto* browser = help.findChild<QTextBrowser*>();
    QVERIFY2(browser->toPlainText().size() > 100, qPrintable(page));
    // Links within the manual lead somewhere.
    for (QTextBlock block = browser->document()->begin(); block.isValid(); block = block.next())
      for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QString target = it.fragment().charFormat().anchorHref();
        if (!target.contains(QStringLiteral(".md"))) continue;
        QVERIFY2(!helpTitle(target.section(QStringLiteral(".md"), 0, 0)).isEmpty(),
                 qPrintable(page + QStringLiteral(": ") + target));
        const QString word = target.section(QLatin1Char('#'), 1).replace('-', ' ');
        if (target.startsWith(QStringLiteral("glossary")) && !word.isEmpty())
          QVERIFY2(!meaning(word).isEmpty() || glossaryWords().contains(word), qPrintable(target));
      }
  }
  help.showPage(QStringLiteral("no such page"));
  QCOMPARE(help.page(), QStringLiteral("index"));
}

/// Every picture that a page asks for is there in both themes and both sizes, and none is there
/// that no page shows.
void ShellTest::pagesHaveTheirPictures() {
  const HelpWindow help; // the manual is at hand
  QStringList wanted;
  for (const QString& page : helpPages()) {
    QFile file(QStringLiteral(":/help/%1.md").arg(page));
    QVERIFY(file.open(QIODevice::ReadOnly));
    static const QRegularExpression kShot(QStringLiteral("\\(shot:([^)]+)\\)"));
    for (auto it = kShot.globalMatch(QString::fromUtf8(file.readAll())); it.hasNext();)
      for (const QString shot = it.next().captured(1);
           const char* kind :
           {"light-1280x800", "dark-1280x800", "light-2560x1440", "dark-2560x1440"})
        wanted.append(QStringLiteral("%1-%2.png").arg(shot, QLatin1String(kind)));
  }
  wanted.sort();
  wanted.removeDuplicates();
  QStringList there = QDir(QStringLiteral(":/help")).entryList({QStringLiteral("*.png")});
  there.sort();
  QCOMPARE(there.join(QLatin1Char('\n')), wanted.join(QLatin1Char('\n')));
}

void ShellTest::glossaryExplains() {
  QVERIFY(meaning(QStringLiteral("Trial")).contains(QStringLiteral("measured program")));
  QVERIFY(meaning(QStringLiteral("crossover")).contains(QStringLiteral("two")));
  QVERIFY(meaning(QStringLiteral("nonsense")).isEmpty());
  for (const QString& word : glossaryWords())
    QVERIFY2(meaning(word).size() > 20, qPrintable(word));
}

void ShellTest::toursPointAtWhatIsThere() {
  const auto sample = makeSample(30);
  MainWindow window(coreCatalogue());
  window.resize(1280, 800);
  window.show();
  QCOMPARE(tours().size(), 3);
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  TourGuide& guide = *window.help().guide();
  connect(&guide, &TourGuide::ended, &window, [] {});
  for (const Tour& tour : tours()) {
    guide.begin(tour);
    for (int step = 0; step < tour.steps.size(); ++step) {
      QCOMPARE(guide.step(), step);
      const QString target = tour.steps[step].target;
      if (target != QStringLiteral("window"))
        QVERIFY2(guide.target(), qPrintable(tour.name + QStringLiteral(": ") + target));
      QTest::keyClick(&guide, Qt::Key_Right);
    }
    QVERIFY(!guide.isRunning());
    QVERIFY(guide.isHidden());
  }
}

void ShellTest::runAgainMakesASession() {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("m.nwdb"));
  SessionConfig config;
  config.subjects = {"matmul:m=32,n=32,k=32"};
  config.seed = 7;
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.show();
  window.document().create(path, config, false);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QVERIFY(window.actions().runAgain->isEnabled());
  answered(QMessageBox::No, [&] { window.actions().runAgain->trigger(); });
  QCOMPARE(window.document().session().contents().sessions.size(), std::size_t(1));
  answered(QMessageBox::Yes, [&] { window.actions().runAgain->trigger(); });
  QTRY_VERIFY(window.document().session().isRunning());
  QCOMPARE(window.document().session().contents().sessions.size(), std::size_t(2));
  QCOMPARE(window.document().session().config().seed, std::uint64_t(7));
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

void ShellTest::aSecondWindowIsAskedFor() {
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  QSignalSpy asked(&window, &MainWindow::windowRequested);
  window.actions().newWindow->trigger();
  QCOMPARE(asked.count(), 1);
}

NW_TEST_GUI(ShellTest)

} // namespace nestwright::window_frame_test

#include "window_frame.moc"
