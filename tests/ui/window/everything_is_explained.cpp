/// Everything in the window answers "what is this": columns, axes and controls have a tool-tip, and
/// what can be used has a name for screen readers. All that is missing is listed at once.

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/charts/axis_tip.h"
#include "ui/document/document.h"
#include "ui/document/sample.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/plot_library.h"
#include "ui/kit/table/table_twin.h"
#include "ui/records/export_records_dialog.h"
#include "ui/window/again/measure_again_dialog.h"
#include "ui/window/deploy/deploy_dialog.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/race/new_race_dialog.h"
#include "ui/window/welcome_page.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QCommandLinkButton>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>
#include <QToolTip>
#include <QTreeView>

#include <algorithm>

namespace nestwright::everything_is_explained_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

bool isPartOfAnother(const QWidget* widget) {
  const QObject* parent = widget->parent();
  for (const QObject* above = parent; above; above = above->parent())
    if (qobject_cast<const QComboBox*>(above)) return true; // its list
  return widget->objectName().startsWith(QStringLiteral("qt_")) ||
         qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent) ||
         qobject_cast<const QLineEdit*>(parent) || qobject_cast<const QTabBar*>(parent) ||
         qobject_cast<const QHeaderView*>(parent) || qobject_cast<const QAbstractItemView*>(parent);
}

bool isControl(const QWidget* widget) {
  if (isPartOfAnother(widget)) return false;
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
         qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
         (qobject_cast<const QAbstractSlider*>(widget) && !qobject_cast<const QScrollBar*>(widget));
}

/// What a screen reader says.
QString nameOf(QWidget* widget) {
  // On Linux the interface of a box says what is chosen in it; its name is asked for elsewhere.
  if (const auto* box = qobject_cast<QComboBox*>(widget)) {
    for (const QLabel* label : box->window()->findChildren<QLabel*>())
      if (label->buddy() == box) return label->text();
    return box->accessibleName();
  }
  const QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
  return face ? face->text(QAccessible::Name).remove(QLatin1Char('&')) : QString();
}

QString describe(QWidget* widget) {
  QString text = QString::fromLatin1(widget->metaObject()->className());
  if (!widget->objectName().isEmpty()) text += QLatin1Char(' ') + widget->objectName();
  if (!nameOf(widget).isEmpty()) text += QStringLiteral(" \"%1\"").arg(nameOf(widget));
  if (const auto* button = qobject_cast<QAbstractButton*>(widget))
    text += QStringLiteral(" [%1]").arg(button->text());
  if (widget->parentWidget())
    text += QStringLiteral(" in %1").arg(
        QString::fromLatin1(widget->parentWidget()->metaObject()->className()));
  return text;
}

/// A tip that only says again what is to be read anyway explains nothing.
bool explains(QString tip, const QString& title) {
  tip.remove(QLatin1Char('&')).remove(QLatin1Char('.'));
  return tip.size() > 8 && tip.compare(title, Qt::CaseInsensitive) != 0;
}

QString tipOf(const QWidget* widget) {
  return widget->toolTip().isEmpty() ? widget->whatsThis() : widget->toolTip();
}

/// Columns of a table without a tip.
QStringList ofHeader(QHeaderView* header) {
  QStringList missing;
  auto* view = qobject_cast<QAbstractItemView*>(header->parent());
  if (!view || !header->model() || header->orientation() != Qt::Horizontal) return missing;
  if (const auto* tree = qobject_cast<QTreeView*>(view); tree && tree->isHeaderHidden()) return {};
  if (header->isHidden()) return missing;
  for (int column = 0; column < header->count(); ++column) {
    const auto role = [&](int which) {
      return header->model()->headerData(column, Qt::Horizontal, which).toString();
    };
    if (!explains(role(Qt::ToolTipRole), role(Qt::DisplayRole)) && header->toolTip().isEmpty())
      missing << QStringLiteral("column \"%1\" of %2").arg(role(Qt::DisplayRole), describe(view));
  }
  return missing;
}

QStringList ofPlot(QCustomPlot* plot) {
  QStringList missing;
  for (const QCPAxisRect* rect : plot->axisRects())
    for (const QCPAxis* axis : rect->axes())
      if (axis->visible() && (!axis->label().isEmpty() || axis->tickLabels()) &&
          !explains(axisTip(*axis), axis->label()))
        missing << QStringLiteral("%1 axis \"%2\" of %3")
                       .arg(axis->orientation() == Qt::Horizontal ? QStringLiteral("horizontal")
                                                                  : QStringLiteral("vertical"),
                            axis->label(), describe(plot));
  if (nameOf(plot).isEmpty()) missing << QStringLiteral("no name: ") + describe(plot);
  return missing;
}

QStringList ofControl(QWidget* control) {
  QStringList missing;
  const auto* button = qobject_cast<QAbstractButton*>(control);
  // OK and Cancel say it all, and links have a description of their own.
  const auto* link = qobject_cast<QCommandLinkButton*>(control);
  const bool saysItAll = qobject_cast<QDialogButtonBox*>(control->parent()) ||
                         (link && explains(link->description(), link->text()));
  if (!saysItAll && !explains(tipOf(control), button ? button->text() : QString()))
    missing << QStringLiteral("no tool-tip: ") + describe(control);
  const QString name = nameOf(control);
  if (std::ranges::none_of(name, [](QChar sign) { return sign.isLetter(); }))
    missing << QStringLiteral("no name: ") + describe(control);
  return missing;
}

/// Tells all that is missing, which may be more than a failure prints.
bool isNothing(const QStringList& missing) {
  for (const QString& one : missing)
    qWarning("not explained: %s", qPrintable(one));
  return missing.isEmpty();
}

/// All that is not explained in a widget and its children, shown or not.
QStringList unexplained(QWidget* root) {
  QStringList missing;
  for (QWidget* widget : root->findChildren<QWidget*>()) {
    if (auto* header = qobject_cast<QHeaderView*>(widget))
      missing += ofHeader(header);
    else if (auto* plot = qobject_cast<QCustomPlot*>(widget))
      missing += ofPlot(plot);
    else if (isControl(widget))
      missing += ofControl(widget);
    else if (qobject_cast<QAbstractItemView*>(widget) && !isPartOfAnother(widget) &&
             nameOf(widget).isEmpty())
      missing << QStringLiteral("no name: ") + describe(widget);
  }
  missing.removeDuplicates();
  return missing;
}

class ExplainedTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void everythingSaysWhatItIs();
  void dialogsSayWhatTheyAsk();
  void axesTellUnderTheMouse();

 private:
  QTemporaryDir folder_;
};

void ExplainedTest::initTestCase() {
  keepSettingsIn(folder_);
}

void ExplainedTest::everythingSaysWhatItIs() {
  const QString copy = folder_.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(samplePath(), copy));
  QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
  MainWindow window(coreCatalogue());
  window.resize(1280, 800);
  window.show();
  window.openFile(copy);
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state(), DocumentState::Ready, 20'000);
  QTRY_VERIFY_WITH_TIMEOUT(!window.document().session().historyLoading(), 20'000);
  window.document().selection().selectTask(window.document().session().tasks().front().row.id);
  QStringList missing;
  for (const PanelView& view : window.panels().views()) {
    window.panels().raise(view.name);
    QTest::qWait(20);
    for (const QString& one : unexplained(view.widget))
      missing << view.name + QStringLiteral(": ") + one;
  }
  for (QWidget* child : window.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
    if (child != window.centralWidget())
      for (const QString& one : unexplained(child))
        missing << QStringLiteral("window: ") + one;
  QVERIFY(isNothing(missing));
}

void ExplainedTest::dialogsSayWhatTheyAsk() {
  Document document;
  NewSessionDialog session(coreCatalogue());
  ExportRecordsDialog records(document, {}, {});
  MeasureAgainDialog again(document, {}, {});
  NewRaceDialog race(document);
  DeployDialog deploy({}, {});
  HelpWindow help;
  TableTwin numbers([] { return Exports(); }, nullptr);
  CommandPalette palette(nullptr);
  WelcomePage welcome({});
  QStringList missing;
  for (QWidget* dialog : std::initializer_list<QWidget*>{&session, &records, &again, &race, &deploy,
                                                         &help, &numbers, &palette, &welcome})
    for (const QString& one : unexplained(dialog))
      missing << QLatin1String(dialog->metaObject()->className()) + QStringLiteral(": ") + one;
  QVERIFY(isNothing(missing));
}

void ExplainedTest::axesTellUnderTheMouse() {
  QCustomPlot plot;
  plot.resize(400, 300);
  explainAxis(*plot.xAxis, QStringLiteral("trials"), QStringLiteral("Trials of the session."));
  QCOMPARE(plot.xAxis->label(), QStringLiteral("trials"));
  plot.show();
  plot.replot();
  const auto tipAt = [&](const QPoint& at) {
    QToolTip::hideText();
    [[maybe_unused]] const bool hidden =
        QTest::qWaitFor([] { return !QToolTip::isVisible(); }, 3000);
    QHelpEvent event(QEvent::ToolTip, at, plot.mapToGlobal(at));
    QApplication::sendEvent(&plot, &event);
    return QToolTip::text();
  };
  QCOMPARE(tipAt(QPoint(200, 295)), QStringLiteral("Trials of the session."));
  QCOMPARE(tipAt(QPoint(200, 100)), QString()); // the plot itself has its own ways
  explainAxis(*plot.xAxis, QStringLiteral("seconds"), QStringLiteral("Time of the session."));
  QCOMPARE(tipAt(QPoint(200, 295)), QStringLiteral("Time of the session."));
}

NW_TEST_GUI(ExplainedTest)

} // namespace nestwright::everything_is_explained_test

#include "everything_is_explained.moc"
