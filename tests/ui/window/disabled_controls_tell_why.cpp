/// What cannot be used says why, in its tool-tip and in the status line; and no two controls of a
/// window answer to the same key.

#include "core/record/rows/session_status.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/document.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/lesson/tour.h"
#include "ui/records/export_records_dialog.h"
#include "ui/window/actions.h"
#include "ui/window/again/measure_again_dialog.h"
#include "ui/window/deploy/deploy_dialog.h"
#include "ui/window/help_commands.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/race/new_race_dialog.h"
#include "ui/window/status_line.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>
#include <QToolBar>

#include <map>

namespace nestwright::disabled_controls_tell_why_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

bool isControl(const QWidget* widget) {
  if (qobject_cast<const QScrollBar*>(widget)) return false;
  if (widget->objectName().startsWith(QStringLiteral("qt_"))) return false;
  for (const char* part : {"QTableCornerButton", "QLineEditIconButton"}) // Qt's own
    if (widget->inherits(part)) return false;
  for (const QObject* above = widget->parent(); above; above = above->parent())
    if (qobject_cast<const QComboBox*>(above) || qobject_cast<const QAbstractSpinBox*>(above) ||
        qobject_cast<const QTabBar*>(above) || qobject_cast<const QMenu*>(above))
      return false;
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
         qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
         qobject_cast<const QAbstractSlider*>(widget) ||
         qobject_cast<const QPlainTextEdit*>(widget);
}

QString describe(const QWidget* widget) {
  QString text = QString::fromLatin1(widget->metaObject()->className());
  if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
    text += QStringLiteral(" \"%1\"").arg(button->text());
  else
    text += QStringLiteral(" \"%1\"").arg(widget->accessibleName());
  if (widget->parentWidget())
    text += QStringLiteral(" in %1").arg(
        QString::fromLatin1(widget->parentWidget()->metaObject()->className()));
  return text;
}

/// A tool button has the tip of its action.
template <class Control>
bool tellsWhy(const Control& control) {
  const QString why = control.statusTip();
  return why.size() > 8 && control.toolTip().contains(why);
}

QStringList silentControls(const QWidget& root) {
  QStringList silent;
  for (const QWidget* widget : root.findChildren<QWidget*>())
    if (isControl(widget) && !widget->isEnabled() && !tellsWhy(*widget)) silent << describe(widget);
  return silent;
}

QStringList silentCommands(const QMenu& menu) {
  QStringList silent;
  for (const QAction* action : menu.actions())
    if (const QMenu* below = action->menu())
      silent += silentCommands(*below);
    else if (!action->isSeparator() && !action->isEnabled() && !tellsWhy(*action))
      silent << QStringLiteral("command \"%1\"").arg(action->text());
  return silent;
}

/// All controls and commands that cannot be used and do not say why, with the
/// panels in front once.
QStringList silentIn(MainWindow& window) {
  QStringList silent;
  for (Panel* panel : window.panels().panels()) {
    if (window.panels().isInUse()) window.panels().raise(panel);
    QTest::qWait(20);
    for (const QString& one : silentControls(*panel))
      silent << panel->name() + QStringLiteral(": ") + one;
  }
  for (const QToolBar* bar : window.findChildren<QToolBar*>())
    silent += silentControls(*bar);
  for (const QAction* action : window.menuBar()->actions())
    silent += silentCommands(*action->menu());
  silent.removeDuplicates();
  return silent;
}

bool isNothing(const QStringList& silent) {
  for (const QString& one : silent)
    qWarning("does not tell why: %s", qPrintable(one));
  return silent.isEmpty();
}

/// The letter behind an &, in lower case; null where there is none.
QChar mnemonicOf(const QString& text) {
  for (qsizetype at = text.indexOf(QLatin1Char('&')); at >= 0 && at + 1 < text.size();
       at = text.indexOf(QLatin1Char('&'), at + 2))
    if (text[at + 1] != QLatin1Char('&')) return text[at + 1].toLower();
  return {};
}

/// Letters that several of these have: "s: Seed, Search".
QStringList doubled(const std::map<QChar, QStringList>& letters) {
  QStringList twice;
  for (const auto& [letter, texts] : letters)
    if (texts.size() > 1)
      twice << QStringLiteral("%1: %2").arg(letter).arg(texts.join(QStringLiteral(", ")));
  return twice;
}

/// Of what can be seen at one time: the titles of the menus, buttons, and
/// labels of fields.
QStringList doubledIn(const QWidget& window) {
  std::map<QChar, QStringList> letters;
  const auto add = [&letters](const QString& text) {
    if (const QChar letter = mnemonicOf(text); !letter.isNull()) letters[letter] << text;
  };
  for (const QMenuBar* bar : window.findChildren<QMenuBar*>())
    for (const QAction* action : bar->actions())
      add(action->text());
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->window() != window.window()) continue;
    if (qobject_cast<const QToolBar*>(widget->parentWidget())) continue; // of a command: in a menu
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) add(button->text());
    if (const auto* label = qobject_cast<const QLabel*>(widget); label && label->buddy())
      add(label->text());
  }
  return doubled(letters);
}

class DisabledControls : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
    keepSettingsIn(settings_);
  }
  void inTheWindowTheyTell_data();
  void inTheWindowTheyTell();
  void inDialogsTheyTell();
  void dialogsTellOfTooManySelected();
  void theStatusLineTellsUnderTheMouse();
  void theTipStaysWhenItCanBeUsedAgain();
  void whatAControlLiesInIsTold();
  void noKeyIsThereTwice();

 private:
  QTemporaryDir settings_;
};

void DisabledControls::inTheWindowTheyTell_data() {
  QTest::addColumn<QString>("state");
  for (const char* state :
       {"no document", "ready", "running", "finished", "read only", "replay", "tuned elsewhere"})
    QTest::newRow(state) << QString::fromLatin1(state);
}

void DisabledControls::inTheWindowTheyTell() {
  QFETCH(QString, state);
  const SessionStatus status = state == QStringLiteral("ready")      ? SessionStatus::Ready
                               : state == QStringLiteral("finished") ? SessionStatus::Finished
                                                                     : SessionStatus::Paused;
  const auto sample = makeSample(state == QStringLiteral("ready") ? 0 : 40, status);
  if (state == QStringLiteral("read only"))
    sqlite::Database(sample->path.toStdString(), sqlite::Access::ReadWrite)
        .execute("CREATE TRIGGER evil AFTER INSERT ON record BEGIN DELETE FROM "
                 "task; END");
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.resize(1280, 800);
  window.show();
  if (state != QStringLiteral("no document")) {
    window.openFile(sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    QTRY_VERIFY(!window.document().session().historyLoading());
  }
  if (state == QStringLiteral("running")) {
    window.actions().start->trigger();
    QTRY_VERIFY(window.document().session().isRunning());
  } else if (state == QStringLiteral("replay")) {
    window.document().replayMode().start();
    QTRY_VERIFY(window.document().replayMode().isOn());
    QTest::qWait(200);
  } else if (state == QStringLiteral("tuned elsewhere")) {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    Record record = *store.records().one(sample->records.back());
    record.trial = 41;
    store.records().add(record);
    QTRY_VERIFY(window.document().follower().elsewhere().isBusy());
  }
  QVERIFY(isNothing(silentIn(window)));
}

void DisabledControls::inDialogsTheyTell() {
  Document document;
  NewSessionDialog session(coreCatalogue());
  session.setSubject(QStringLiteral("matmul:m=64,n=64,k=64"));
  NewSessionDialog broken(coreCatalogue());
  broken.setSubject(QStringLiteral("/nowhere/model.onnx"));
  ExportRecordsDialog records(document, {}, {});
  MeasureAgainDialog again(document, {}, {});
  NewRaceDialog race(document);
  DeployDialog deploy({}, {});
  HelpWindow help;
  QStringList silent;
  for (QWidget* dialog :
       std::initializer_list<QWidget*>{&session, &broken, &records, &again, &race, &deploy, &help})
    for (const QString& one : silentControls(*dialog))
      silent << QLatin1String(dialog->metaObject()->className()) + QStringLiteral(": ") + one;
  QVERIFY(isNothing(silent));
}

/// They offer the selected records, and why these cannot be taken.
void DisabledControls::dialogsTellOfTooManySelected() {
  Document document;
  const SelectedRecords selected{SelectedRecords::kMost + 1, {}};
  ExportRecordsDialog records(document, {}, selected);
  MeasureAgainDialog again(document, {}, selected);
  for (const QWidget* dialog : std::initializer_list<const QWidget*>{&records, &again}) {
    int offered = 0;
    for (const QRadioButton* one : dialog->findChildren<QRadioButton*>()) {
      if (!one->text().contains(countText(selected.rows))) continue;
      ++offered;
      QVERIFY(!one->isEnabled() && !one->isChecked());
      QCOMPARE(whyNot(one), whyNotNamed(selected));
    }
    QCOMPARE(offered, 1);
  }
}

void DisabledControls::theStatusLineTellsUnderTheMouse() {
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.show();
  QAction* pause = window.actions().pause;
  QVERIFY(!pause->isEnabled());
  QWidget* button =
      window.findChild<QToolBar*>(QStringLiteral("sessionBar"))->widgetForAction(pause);
  QVERIFY(button && !button->isEnabled());
  QEnterEvent enter(QPointF(2, 2), QPointF(2, 2), QPointF(2, 2));
  QApplication::sendEvent(button, &enter);
  QCOMPARE(window.statusLine()->currentMessage(), whyNot(pause));
}

void DisabledControls::theTipStaysWhenItCanBeUsedAgain() {
  QPushButton button;
  button.setToolTip(QStringLiteral("Does something."));
  enableUnless(&button, QStringLiteral("It is busy."));
  QVERIFY(!button.isEnabled());
  QVERIFY(button.toolTip().startsWith(QStringLiteral("Does something.")) &&
          button.toolTip().contains(QStringLiteral("It is busy.")));
  enableUnless(&button, QStringLiteral("It is gone."));
  QVERIFY(!button.toolTip().contains(QStringLiteral("It is busy.")));
  button.setToolTip(QStringLiteral("Does something else."));
  enableUnless(&button, QStringLiteral("It is gone."));
  QVERIFY(button.toolTip().startsWith(QStringLiteral("Does something else.")) &&
          button.toolTip().contains(QStringLiteral("It is gone.")));
  enableUnless(&button, {});
  QVERIFY(button.isEnabled() && button.statusTip().isEmpty());
  QCOMPARE(button.toolTip(), QStringLiteral("Does something else."));
}

void DisabledControls::whatAControlLiesInIsTold() {
  QWidget form;
  auto* field = new QLineEdit(&form);
  field->setToolTip(QStringLiteral("A name."));
  enableUnless(&form, QStringLiteral("No document is open."));
  QVERIFY(!field->isEnabled());
  QVERIFY(field->toolTip().contains(QStringLiteral("No document is open.")));
  enableUnless(field, QStringLiteral("It has none."));
  enableUnless(&form, {});
  QVERIFY(!field->isEnabled());
  QVERIFY(field->toolTip().contains(QStringLiteral("It has none.")) &&
          !field->toolTip().contains(QStringLiteral("No document")));
  enableUnless(field, {});
  QCOMPARE(field->toolTip(), QStringLiteral("A name."));
}

void DisabledControls::noKeyIsThereTwice() {
  const auto sample = makeSample(40);
  MainWindow window(coreCatalogue());
  window.resize(1280, 800);
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QStringList twice;
  for (Panel* panel : window.panels().panels()) {
    window.panels().raise(panel);
    twice += doubledIn(window);
  }
  window.help().guide()->begin(tours().first());
  twice += doubledIn(window);
  NewSessionDialog session(coreCatalogue());
  session.setRunning(QStringLiteral("resnet18 is being tuned in this window."));
  ExportRecordsDialog records(window.document(), {}, {});
  MeasureAgainDialog again(window.document(), {}, {});
  NewRaceDialog race(window.document());
  DeployDialog deploy({}, {});
  for (QWidget* dialog :
       std::initializer_list<QWidget*>{&session, &records, &again, &race, &deploy}) {
    dialog->show();
    for (const QString& one : doubledIn(*dialog))
      twice << QLatin1String(dialog->metaObject()->className()) + QStringLiteral(", ") + one;
  }
  twice.removeDuplicates();
  for (const QString& one : twice)
    qWarning("twice: %s", qPrintable(one));
  QVERIFY(twice.isEmpty());
}

NW_TEST_GUI(DisabledControls)

} // namespace nestwright::disabled_controls_tell_why_test

#include "disabled_controls_tell_why.moc"
