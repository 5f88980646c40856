/// How the window takes another theme or zoom: at once, with all panels open, and once for many
/// keys.

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/charts/chart.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/theme.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QFontInfo>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>

namespace nestwright::restyling_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// Processor time of this thread, ms: other programs on the machine do not lengthen it.
double threadMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

class RestylingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void cleanupTestCase() { window_.reset(); }
  void cleanup();
  void noWidgetHasAStyleSheet();
  void aBurstIsOneRestyling();
  void theSameAgainIsNone();
  void allOfTheWindowFollows();
  void aNewSessionsFormsFollow();
  void chartsBehindTabsAreNotDrawn();
  void itTakesATenthOfASecond_data();
  void itTakesATenthOfASecond();

 private:
  QTemporaryDir settings_, folder_;
  std::unique_ptr<MainWindow> window_; // one for all: reading the sample takes longest
};

void RestylingTest::initTestCase() {
  keepSettingsIn(settings_);
  const QString copy = folder_.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(samplePath(), copy));
  QVERIFY(QFile(copy).setPermissions(QFile::ReadOwner | QFile::WriteOwner));
  window_ = std::make_unique<MainWindow>(coreCatalogue());
  cleanup();
  window_->resize(1920, 1080);
  window_->show();
  window_->openFile(copy);
  QTRY_VERIFY_WITH_TIMEOUT(window_->document().state() == DocumentState::Ready &&
                               !window_->document().session().historyLoading(),
                           30'000);
  // All of them, each of which has been seen.
  for (const PanelView& view : window_->panels().views()) {
    window_->panels().raise(view.name);
    QTest::qWait(20);
  }
  for (const Panel* panel : window_->panels().panels())
    QVERIFY2(!panel->isHidden(), qPrintable(panel->name()));
}

void RestylingTest::cleanup() {
  Theme::instance().choose(ThemeChoice::Light);
  Theme::instance().setZoom(1);
}

/// One sheet makes Qt look through its rules for every widget below, at every change.
void RestylingTest::noWidgetHasAStyleSheet() {
  QVERIFY(qApp->styleSheet().isEmpty());
  const QWidgetList widgets = QApplication::allWidgets();
  QVERIFY(widgets.size() > 1000);
  for (const QWidget* widget : widgets)
    QVERIFY2(
        widget->styleSheet().isEmpty() && !widget->testAttribute(Qt::WA_StyleSheet),
        qPrintable(
            QStringLiteral("%1 \"%2\" below %3")
                .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                     widget->parentWidget() ? widget->parentWidget()->objectName() : QString())));
}

void RestylingTest::aBurstIsOneRestyling() {
  const Actions& actions = window_->actions();
  QSignalSpy restylings(&Theme::instance(), &Theme::changed);
  for (int press = 0; press < 10; ++press)
    actions.zoomIn->trigger();
  actions.themeDark->trigger();
  // What is wanted is known, and nothing was drawn for it yet.
  QVERIFY(Theme::instance().zoom() > 2.5);
  QCOMPARE(Theme::instance().choice(), ThemeChoice::Dark);
  QVERIFY(!colours().dark);
  QCOMPARE(restylings.count(), 0);
  QTRY_COMPARE(restylings.count(), 1);
  QVERIFY(colours().dark);
  QTest::qWait(100);
  QCOMPARE(restylings.count(), 1);
  QVERIFY(actions.themeDark->isChecked());
  QCOMPARE(Settings::theme(), ThemeChoice::Dark);
  QCOMPARE(Settings::zoom(), Theme::instance().zoom());
}

void RestylingTest::theSameAgainIsNone() {
  QSignalSpy restylings(&Theme::instance(), &Theme::changed);
  Theme::instance().choose(ThemeChoice::Light);
  Theme::instance().setZoom(1);
  QCOMPARE(restylings.count(), 0);
}

/// Colours and sizes of what Qt paints are as in a window that began so.
void RestylingTest::allOfTheWindowFollows() {
  const auto boxes = [this] {
    QHash<const QWidget*, QSize> sizes;
    for (const QComboBox* box : window_->findChildren<QComboBox*>())
      sizes.insert(box, box->minimumSizeHint());
    return sizes;
  };
  const QHash<const QWidget*, QSize> small = boxes();
  QVERIFY(small.size() > 5);
  Theme::instance().choose(ThemeChoice::Dark);
  Theme::instance().setZoom(2);
  const QHash<const QWidget*, QSize> large = boxes();
  for (auto [box, size] : large.asKeyValueRange())
    QVERIFY2(size.height() > small[box].height(),
             qPrintable(QStringLiteral("%1: %2 and %3 high, font %4 pt")
                            .arg(box->accessibleName())
                            .arg(small[box].height())
                            .arg(size.height())
                            .arg(box->font().pointSizeF())));
  for (const QLabel* label : window_->findChildren<QLabel*>()) {
    const QColor writing = label->palette().color(label->foregroundRole());
    const QString what = QStringLiteral("\"%1\" in %2").arg(label->text(), writing.name());
    QVERIFY2(writing.lightness() > 100 || label->text().size() <= 1, qPrintable(what));
    QVERIFY2(QFontInfo(label->font()).pointSizeF() > 12, qPrintable(what));
  }
}

/// The desktop may turn dark while it is filled in.
void RestylingTest::aNewSessionsFormsFollow() {
  const NewSessionDialog dialog(coreCatalogue(), window_.get());
  const QColor dim = colours().dim, failed = colours().failed;
  Theme::instance().choose(ThemeChoice::Dark);
  QTRY_VERIFY(colours().dark);
  const auto labels = dialog.findChildren<QLabel*>();
  QVERIFY(labels.size() > 20);
  for (const QLabel* label : labels) {
    const QColor writing = label->palette().color(QPalette::WindowText);
    QVERIFY2(writing != dim && writing != failed, qPrintable(label->text()));
  }
}

/// On pages that are not in front. They are once their page is.
void RestylingTest::chartsBehindTabsAreNotDrawn() {
  QTest::qWait(100);
  std::map<Chart*, int> drawn;
  for (Chart* chart : window_->findChildren<Chart*>())
    connect(chart, &QCustomPlot::afterReplot, this, [&drawn, chart] { ++drawn[chart]; });
  Theme::instance().choose(ThemeChoice::Dark);
  Theme::instance().setZoom(1.3);
  QTest::qWait(100);
  QVERIFY(!drawn.empty());
  for (const auto& [chart, times] : drawn)
    QVERIFY2(chart->isVisible(), qPrintable(chart->accessibleName()));
  // The page that was in front comes back at the end.
  int shown = 0;
  for (auto* pages : window_->findChildren<QTabWidget*>()) {
    const int front = pages->currentIndex();
    for (int page = 0; page < pages->count(); ++page) {
      auto* chart = pages->widget(page)->findChild<Chart*>();
      if (!chart || page == front || !pages->isVisible() ||
          !chart->isVisibleTo(pages->widget(page)))
        continue;
      drawn.clear();
      pages->setCurrentIndex(page);
      QTRY_VERIFY2(drawn.contains(chart), qPrintable(chart->accessibleName()));
      ++shown;
    }
    pages->setCurrentIndex(front);
  }
  QVERIFY(shown > 0);
  for (Chart* chart : window_->findChildren<Chart*>())
    chart->disconnect(this);
}

void RestylingTest::itTakesATenthOfASecond_data() {
  QTest::addColumn<bool>("theme");
  QTest::newRow("theme") << true;
  QTest::newRow("zoom") << false;
}

/// Wanted are 100 ms on an idle machine; the bound is what a slow and loaded one manages as well.
void RestylingTest::itTakesATenthOfASecond() {
  QFETCH(bool, theme);
  constexpr double kBound = 500;
  double best = 1e9, bestSlots = 1e9;
  for (int turn = 0; turn < 6; ++turn) {
    QTest::qWait(50); // what the last one has left to do
    const double began = threadMilliseconds();
    if (theme)
      Theme::instance().choose(turn % 2 == 0 ? ThemeChoice::Dark : ThemeChoice::Light);
    else
      Theme::instance().setZoom(turn % 2 == 0 ? 1.1 : 1);
    const double told = threadMilliseconds();
    // Layouts and painting.
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
    const double took = threadMilliseconds() - began;
    if (took < best) best = took, bestSlots = told - began;
  }
  qInfo("%s: %.0f ms of processor time (wanted: 100), %.0f of them until all widgets know",
        theme ? "theme" : "zoom", best, bestSlots);
  QVERIFY2(best < kBound, qPrintable(QString::number(best)));
}

NW_TEST_GUI(RestylingTest)

} // namespace nestwright::restyling_test

#include "restyling.moc"
