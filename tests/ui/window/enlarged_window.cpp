/// The teacher's side of the window, on a copy of the sample: everything enlarged for a lecture
/// hall, a lesson from random sampling to the fifth generation, and why one tile fits the cache.

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/replaying.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/sample.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/generation_plot.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/kit/layout.h"
#include "ui/kit/theme.h"
#include "ui/lesson/lesson_marks.h"
#include "ui/lesson/replay_bar.h"
#include "ui/program/footprint_page.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/records/record_view.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <memory>

namespace nestwright::enlarged_window_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The window on a copy of the sample.
struct SampleWindow {
  QTemporaryDir folder;
  QString path = folder.filePath(QStringLiteral("sample.nwdb"));
  MainWindow window{coreCatalogue()};

  SampleWindow() {
    QFile::copy(samplePath(), path);
    QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    Theme::instance().setZoom(1);
    window.resize(1280, 800);
    window.show();
    window.openFile(path);
    waitUntilRead();
  }
  void waitUntilRead() {
    QTRY_VERIFY_WITH_TIMEOUT(window.document().state() == DocumentState::Ready &&
                                 !window.document().session().historyLoading(),
                             30'000);
  }
  void show(Layout layout) {
    window.actions().layouts[static_cast<std::size_t>(layout)]->trigger();
    QTest::qWait(30);
  }
};

/// What people press, turn, or type into, as far as it is not a part of a table or of another one.
QList<QWidget*> controlsOf(const QWidget* view) {
  QList<QWidget*> controls;
  for (QWidget* widget : view->findChildren<QWidget*>()) {
    if (!qobject_cast<QAbstractButton*>(widget) && !qobject_cast<QComboBox*>(widget) &&
        !qobject_cast<QLineEdit*>(widget) && !qobject_cast<QAbstractSpinBox*>(widget) &&
        !qobject_cast<QSlider*>(widget))
      continue;
    bool part = !widget->isVisibleTo(view);
    for (const QWidget* around = widget->parentWidget(); around && around != view;
         around = around->parentWidget())
      part = part || qobject_cast<const QAbstractScrollArea*>(around) ||
             qobject_cast<const QTabBar*>(around) || qobject_cast<const QComboBox*>(around) ||
             qobject_cast<const QLineEdit*>(around) ||
             qobject_cast<const QAbstractSpinBox*>(around);
    if (!part) controls.append(widget);
  }
  return controls;
}

QString nameOf(const QWidget* control) {
  const auto* button = qobject_cast<const QAbstractButton*>(control);
  return QStringLiteral("%1 \"%2\"")
      .arg(QLatin1String(control->metaObject()->className()),
           button && !button->text().isEmpty() ? button->text() : control->accessibleName());
}

/// What of a view's controls cannot be seen whole, in words.
QStringList troubleIn(const QWidget* view) {
  QStringList trouble;
  const QList<QWidget*> controls = controlsOf(view);
  for (const QWidget* control : controls) {
    const QRect place(control->mapTo(view, QPoint()), control->size());
    if (!view->rect().contains(place)) trouble.append(nameOf(control) + " reaches out of the view");
    const QSize least = control->minimumSizeHint().boundedTo(control->maximumSize());
    if (control->width() < least.width() - 2 || control->height() < least.height() - 2)
      trouble.append(QStringLiteral("%1 has %2x%3 of %4x%5")
                         .arg(nameOf(control))
                         .arg(control->width())
                         .arg(control->height())
                         .arg(least.width())
                         .arg(least.height()));
    for (const QWidget* other : controls)
      if (other > control && other->parentWidget() == control->parentWidget() &&
          other->geometry().intersects(control->geometry()))
        trouble.append(nameOf(control) + " lies over " + nameOf(other));
  }
  return trouble;
}

/// The widgets that want the most room, from the outside in: "CurveView 601 > QComboBox 120".
QString greediest(const QWidget* view, Qt::Orientation direction) {
  const auto least = [&](const QWidget* widget) {
    const QSize size = widget->minimumSizeHint().expandedTo(widget->minimumSize());
    return direction == Qt::Horizontal ? size.width() : size.height();
  };
  QStringList path;
  for (const QWidget* at = view; at && path.size() < 8;) {
    path.append(QStringLiteral("%1 %2 %3")
                    .arg(QLatin1String(at->metaObject()->className()), at->accessibleName())
                    .arg(least(at)));
    const QList<QWidget*> inside =
        at->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    const auto most = std::ranges::max_element(
        inside, {}, [&](const QWidget* child) { return child->isHidden() ? 0 : least(child); });
    at = most == inside.end() ? nullptr : *most;
  }
  return path.join(QStringLiteral(" > "));
}

/// For those who want to look: NESTWRIGHT_PICTURES names a folder.
void keepPicture(QWidget& window, const QString& name) {
  const QString folder = qEnvironmentVariable("NESTWRIGHT_PICTURES");
  if (folder.isEmpty()) return;
  QTest::qWait(1500);
  window.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

class EnlargedWindow : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void cleanupTestCase() { sample_.reset(); }
  void everyControlIsSeen_data();
  void everyControlIsSeen();
  void theWindowFitsTheScreen_data();
  void theWindowFitsTheScreen();
  void aLessonGoesOnToWhyATileFits();

 private:
  QTemporaryDir settings_;
  std::unique_ptr<SampleWindow> sample_; // one for all: reading the sample takes longest
};

void EnlargedWindow::initTestCase() {
  keepSettingsIn(settings_);
  sample_ = std::make_unique<SampleWindow>();
}

void EnlargedWindow::theWindowFitsTheScreen_data() {
  QTest::addColumn<QSize>("screen");
  QTest::addColumn<double>("zoom");
  QTest::newRow("1280x800 at 200 %") << QSize(1280, 800) << 2.0;
  QTest::newRow("1280x800 at 300 %") << QSize(1280, 800) << 3.0;
  QTest::newRow("1920x1080 at 300 %") << QSize(1920, 1080) << 3.0;
}

/// No layout wants more than the screen has, also with a replay's bar.
void EnlargedWindow::theWindowFitsTheScreen() {
  QFETCH(QSize, screen);
  QFETCH(double, zoom);
  SampleWindow& sample = *sample_;
  MainWindow& window = sample.window;
  Theme::instance().setZoom(zoom);
  window.resize(screen);
  if (!window.document().replayMode().isOn()) startReplay(window.document());
  if (QTest::currentTestFailed()) return;
  auto& bar = *window.findChild<ReplayBar*>();
  bar.marks().add(QStringLiteral("The cost model knows nothing yet; most programs are slow, and "
                                 "this is a long sentence that does not fit into one line."));
  QTRY_VERIFY(!bar.caption().isEmpty());
  for (const Layout layout : kLayouts) {
    sample.show(layout);
    const QSize least = window.minimumSizeHint();
    QVERIFY2(least.width() <= screen.width() && least.height() <= screen.height(),
             qPrintable(QStringLiteral("%1 wants %2x%3: %4")
                            .arg(key(layout))
                            .arg(least.width())
                            .arg(least.height())
                            .arg(greediest(&window, Qt::Vertical))));
    QCOMPARE(window.size(), screen);
    const QStringList trouble = troubleIn(&bar);
    QVERIFY2(trouble.isEmpty(), qPrintable(trouble.join(QLatin1Char('\n'))));
    keepPicture(window, QStringLiteral("%1-%2-%3").arg(key(layout)).arg(screen.width()).arg(zoom));
  }
}

void EnlargedWindow::everyControlIsSeen_data() {
  QTest::addColumn<double>("zoom");
  QTest::newRow("100 %") << 1.0;
  QTest::newRow("200 %") << 2.0;
  QTest::newRow("300 %") << 3.0;
}

/// In every panel of the narrow columns of Teach: seen at once, or scrolled to.
void EnlargedWindow::everyControlIsSeen() {
  QFETCH(double, zoom);
  SampleWindow& sample = *sample_;
  MainWindow& window = sample.window;
  Theme::instance().setZoom(zoom);
  window.resize(1280, 800);
  sample.show(Layout::Teach);
  QStringList trouble, scrolled;
  for (const PanelView& one : window.panels().views()) {
    window.panels().raise(one.name);
    QTest::qWait(20);
    const Panel* panel = window.panels().panel(one.name);
    // A view that reads something is laid out again when it has it.
    QStringList found;
    (void)QTest::qWaitFor([&] { return (found = troubleIn(one.widget)).isEmpty(); }, 3000);
    for (const QString& what : found)
      trouble.append(one.name + QStringLiteral(": ") + what);
    // What is larger than the panel can be scrolled to its end.
    const auto* body = qobject_cast<const QScrollArea*>(panel->widget());
    QVERIFY(body);
    const QWidget* view = body->widget();
    QTRY_VERIFY2(view->width() <= body->viewport()->width() ||
                     body->horizontalScrollBar()->maximum() > 0,
                 qPrintable(panel->name()));
    QTRY_VERIFY2(view->height() <= body->viewport()->height() ||
                     body->verticalScrollBar()->maximum() > 0,
                 qPrintable(panel->name()));
    for (const Qt::Orientation direction : {Qt::Horizontal, Qt::Vertical}) {
      const bool wide = direction == Qt::Horizontal;
      const int wanted = wide ? view->width() : view->height();
      const int room = wide ? body->viewport()->width() : body->viewport()->height();
      if (zoom == 1 && wide && wanted > room)
        scrolled.append(QStringLiteral("%1 wants %2 of %3: %4")
                            .arg(one.name)
                            .arg(wanted)
                            .arg(room)
                            .arg(greediest(view, direction)));
    }
    keepPicture(window, QStringLiteral("panel-%1-%2").arg(zoom).arg(one.name));
  }
  QVERIFY2(trouble.isEmpty(), qPrintable(QLatin1Char('\n') + trouble.join(QLatin1Char('\n'))));
  // Without zoom the columns of a small screen are wide enough for every panel.
  QVERIFY2(scrolled.isEmpty(), qPrintable(QLatin1Char('\n') + scrolled.join(QLatin1Char('\n'))));
}

/// "Teacher zooms to 200 %, opens lesson, scrubs from random sampling to the fifth generation,
/// opens two programs side by side, explains why one tile fits the cache."
void EnlargedWindow::aLessonGoesOnToWhyATileFits() {
  SampleWindow& sample = *sample_;
  MainWindow& window = sample.window;
  Document& document = window.document();
  document.replayMode().end();
  QTRY_VERIFY_WITH_TIMEOUT(window.actions().replay->isEnabled(), 30'000);
  window.actions().zoomReset->trigger();
  while (Theme::instance().zoom() < 2)
    window.actions().zoomIn->trigger();
  sample.show(Layout::Teach);
  window.actions().replay->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(
      document.replayMode().replay() && document.replayMode().replay()->isReady(), 30'000);
  auto& bar = *window.findChild<ReplayBar*>();

  // At the beginning nothing was bred.
  window.panels().raise(QStringLiteral("inspector"));
  auto& inspector = *window.panels().view<InspectorView>();
  inspector.pages()->setCurrentWidget(inspector.generations());
  QTRY_VERIFY(inspector.generations()->data().row.programs.empty());
  const auto scrubTo = [&](double part) {
    const int place = static_cast<int>(part * TimeSlider::kSteps);
    bar.slider()->setSliderPosition(place);
    Q_EMIT bar.slider()->sliderMoved(place);
  };
  scrubTo(0.9);
  QTRY_VERIFY(document.session().progress().trials > 100);
  // A task whose programs have been bred five times over.
  for (const TaskEntry& task : document.session().tasks()) {
    document.selection().selectTask(task.row.id);
    QTest::qWait(100);
    QTRY_VERIFY(!document.reader().busy(Reader::Channel::Generations));
    if (inspector.generations()->data().row.generations.size() >= 5) break;
  }
  const EvolvedRoundData& bred = inspector.generations()->data();
  QVERIFY2(bred.row.generations.size() >= 5,
           qPrintable(QString::number(bred.row.generations.size())));
  QSlider* generation = inspector.generations()->generations();
  QCOMPARE(std::size_t(generation->maximum()), bred.row.generations.size() - 1);
  generation->setValue(4); // 0 is the first
  QVERIFY(inspector.generations()->plot()->pointCount() > 10);

  // Its best so far beside the naive program.
  const ProgramView& program = *window.panels().view<ProgramView>();
  // The one of the task before, or of a moment without a best, stays on until this one is read.
  QTRY_VERIFY_WITH_TIMEOUT(program.program().task == document.selection().current().task &&
                               program.program().record != 0,
                           30'000);
  program.head()->compareWithNaive();
  ProgramCompareView& compare = *window.panels().view<ProgramCompareView>();
  QTRY_VERIFY_WITH_TIMEOUT(compare.isComplete(), 30'000);
  compare.showPage(ProgramCompareView::CacheTab);
  const QString verdict = compare.caches()->verdict();
  QVERIFY2(verdict.contains(QStringLiteral("less into L")), qPrintable(verdict));
  QVERIFY2(verdict.contains(QStringLiteral("the tile")), qPrintable(verdict));
  keepPicture(window, QStringLiteral("flow-five"));
  window.actions().zoomReset->trigger();
}

NW_TEST_GUI(EnlargedWindow)

} // namespace nestwright::enlarged_window_test

#include "enlarged_window.moc"
