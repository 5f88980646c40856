/// Programs of records are measured again from the window: what is chosen is counted, what cannot
/// be is named, a session of its own measures the rest, and old times are compared in words.

#include "core/record/store/record_rows.h"
#include "core/search/origin.h"
#include "core/session/run/row_contents.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/kit/message_page.h"
#include "ui/records/agreement_strip.h"
#include "ui/records/filter_line.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_view.h"
#include "ui/window/actions.h"
#include "ui/window/again/measure_again_dialog.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include <set>

namespace nestwright::measuring_again_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The command in the menu Session.
QAction* command(MainWindow& window) {
  for (QAction* top : window.menuBar()->actions())
    for (QAction* action : top->menu()->actions())
      if (action == window.actions().measureAgain) return action;
  return nullptr;
}

/// Opens the dialog as a person does, and lets `use` do what they do in it.
void inTheDialog(MainWindow& window, const std::function<void(MeasureAgainDialog&)>& use) {
  bool used = false;
  QTimer::singleShot(0, &window, [&] {
    auto* dialog = qobject_cast<MeasureAgainDialog*>(QApplication::activeModalWidget());
    QVERIFY(dialog);
    use(*dialog);
    used = true;
    if (dialog->isVisible()) dialog->reject();
  });
  QVERIFY(command(window));
  command(window)->trigger();
  QVERIFY(used);
}

QPushButton* button(const QWidget& dialog, const QString& text) {
  for (QPushButton* each : dialog.findChildren<QPushButton*>())
    if (each->text().remove(QLatin1Char('&')) == text) return each;
  return nullptr;
}

QRadioButton* choice(const QWidget& dialog, const QString& part) {
  for (QRadioButton* each : dialog.findChildren<QRadioButton*>())
    if (each->text().remove(QLatin1Char('&')).contains(part)) return each;
  return nullptr;
}

/// Clicks where the mark is: a button may be wider than its text, and does not mind the rest.
void choose(QAbstractButton* button) {
  QTest::mouseClick(button, Qt::LeftButton, {}, QPoint(button->height() / 2, button->height() / 2));
}

bool waitForCount(const MeasureAgainDialog& dialog) {
  return QTest::qWaitFor([&] { return dialog.counted().has_value(); }, 10'000);
}

class MeasuringAgain : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(folder_);
    Settings::setFolder(folder_.path());
  }

  void init() {
    path_ = folder_.filePath(QStringLiteral("again%1.nwdb").arg(++files_));
    first_ = runMadeUpSession(path_, madeUpConfig("random"));
    window_ = std::make_unique<MainWindow>(coreCatalogue(), madeUpSessions());
    window_->resize(1400, 900);
    window_->show();
    window_->openFile(path_);
    QTRY_COMPARE(document().state(), DocumentState::Ready);
    window_->panels().raise(QStringLiteral("records"));
    records().scope()->setFollowing(false); // of all tasks
    QTRY_COMPARE(records().model()->rowCount(), 64);
  }
  void cleanup() {
    window_->close();
    QTRY_COMPARE(document().state(), DocumentState::Empty);
    window_.reset();
  }

  /// What the filter finds, lowered plainly.
  void whatTheFilterFindsIsMeasuredAgain() {
    QVERIFY(!records().agreement()->isVisible());
    FilterLine* line = records().bar()->line();
    line->setFocus();
    QTest::keyClicks(line, QStringLiteral("trial:1..40"));
    QTest::keyClick(line, Qt::Key_Escape); // what is offered
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_VERIFY(records().model()->isRanked() && records().model()->rowCount() == 40);
    const int listed = records().model()->rowCount();
    inTheDialog(*window_, [&](MeasureAgainDialog& dialog) {
      QVERIFY(choice(dialog, QStringLiteral("What the filter finds"))->isChecked());
      QVERIFY(waitForCount(dialog));
      QCOMPARE(dialog.note()->text(),
               QStringLiteral("%1 programs will be measured, each once.").arg(listed));
      dialog.target()->targets()->setFocus();
      QTest::keyClick(dialog.target()->targets(), Qt::Key_Down);
      QCOMPARE(dialog.target()->target(), std::string("llvm:plain"));
      QTRY_VERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
      QTest::mouseClick(button(dialog, QStringLiteral("Measure")), Qt::LeftButton);
    });
    QTRY_VERIFY(document().session().row().id != first_);
    QTRY_COMPARE_WITH_TIMEOUT(document().session().status(), SessionStatus::Finished, 60'000);
    const RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
    std::set<RowId> sources;
    for (const Record& record : recordsOf(store, document().session().row().id)) {
      const std::optional<Trace> trace = traceOf(record);
      QVERIFY(trace && trace->source != 0);
      sources.insert(trace->source);
    }
    QCOMPARE(int(sources.size()), listed);
    for (const RowId source : sources) {
      const std::optional<Record> before = store.records().one(source);
      QVERIFY(before && before->session == first_ && before->trial <= 40);
    }
    // The made-up machine takes the same time for the same program.
    AgreementStrip* strip = records().agreement();
    QTRY_VERIFY(strip->isVisible());
    QTRY_VERIFY2(
        strip->text().startsWith(QStringLiteral("All %1 programs are measured again.").arg(listed)),
        qPrintable(strip->text()));
    QVERIFY(!strip->agreement().tasks.empty());
    for (const TaskAgreement& task : strip->agreement().tasks)
      QVERIFY2(strip->text().contains(
                   QStringLiteral("%1 programs ran both times, in the same order (Kendall's τ "
                                  "1.00), and take as long as before.")
                       .arg(task.programs)),
               qPrintable(strip->text()));
    // Back in the session that they come from there is nothing to compare.
    document().showSession(first_);
    QTRY_COMPARE(document().session().row().id, first_);
    QTRY_VERIFY(!strip->isVisible());
  }

  void selectedRowsAreMeasuredAgain() {
    RecordTable* table = records().table();
    const auto click = [table](int row, Qt::KeyboardModifiers keys) {
      const QRect cell = table->visualRect(table->model()->index(row, RecordModel::Latency));
      QTest::mouseClick(table->viewport(), Qt::LeftButton, keys, cell.center());
    };
    click(3, Qt::NoModifier);
    click(5, Qt::ShiftModifier);
    const std::vector<RowId> selected = records().selectedRecords();
    QCOMPARE(selected.size(), std::size_t(3));
    QVERIFY(table->actions().contains(window_->actions().measureAgain)); // its menu, too
    inTheDialog(*window_, [&](MeasureAgainDialog& dialog) {
      QVERIFY(choice(dialog, QStringLiteral("The 3 selected records"))->isChecked());
      QVERIFY(waitForCount(dialog));
      QCOMPARE(dialog.counted()->records, std::int64_t(3));
      QTRY_VERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
      QTest::keyClick(&dialog, Qt::Key_Return);
    });
    QTRY_VERIFY(document().session().row().id != first_);
    QTRY_COMPARE_WITH_TIMEOUT(document().session().status(), SessionStatus::Finished, 60'000);
    const RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
    std::set<RowId> sources;
    for (const Record& record : recordsOf(store, document().session().row().id))
      sources.insert(traceOf(record)->source);
    QCOMPARE(sources, std::set<RowId>(selected.begin(), selected.end()));
    // The limit draws from what can be measured; a dialog that is left changes nothing.
    document().showSession(first_);
    QTRY_COMPARE(document().session().row().id, first_);
    inTheDialog(*window_, [&](MeasureAgainDialog& dialog) {
      choose(choice(dialog, QStringLiteral("lists")));
      auto* limit = dialog.findChildren<QSpinBox*>().last();
      QCOMPARE(limit->text(), QStringLiteral("all of them"));
      limit->setFocus();
      limit->selectAll();
      QTest::keyClicks(limit, QStringLiteral("5"));
      QTRY_VERIFY(dialog.counted() && dialog.counted()->records == 5);
    });
    QCOMPARE(document().session().row().id, first_);
    QCOMPARE(document().session().contents().sessions.size(), std::size_t(2));
  }

  /// What cannot be measured is counted with the reason, and nothing begins.
  void whatCannotBeMeasuredIsNamed() {
    inTheDialog(*window_, [&](MeasureAgainDialog& dialog) {
      QVERIFY(waitForCount(dialog));
      QTRY_VERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
      auto* evaluator = dialog.findChildren<QComboBox*>().last();
      evaluator->lineEdit()->setFocus();
      evaluator->lineEdit()->selectAll();
      QTest::keyClicks(evaluator->lineEdit(), QStringLiteral("guess"));
      QVERIFY(dialog.problem().contains(QStringLiteral("guess")));
      QVERIFY(!button(dialog, QStringLiteral("Measure"))->isEnabled());
      evaluator->lineEdit()->selectAll();
      QTest::keyClicks(evaluator->lineEdit(), QStringLiteral("fixed"));
      QVERIFY(dialog.problem().isEmpty());
      QTest::mouseClick(button(dialog, QStringLiteral("Measure")), Qt::LeftButton);
    });
    QTRY_VERIFY(document().session().row().id != first_);
    QTRY_COMPARE_WITH_TIMEOUT(document().session().status(), SessionStatus::Finished, 60'000);
    document().follower().setScope(Scope::ThisSession); // what was measured again, alone
    QTRY_COMPARE(records().model()->rowCount(), 64);
    inTheDialog(*window_, [&](MeasureAgainDialog& dialog) {
      QVERIFY(waitForCount(dialog));
      QVERIFY2(dialog.note()->text().contains(QStringLiteral(
                   "Left out: 64 records of programs that were themselves measured again.")),
               qPrintable(dialog.note()->text()));
      QCOMPARE(dialog.problem(), QStringLiteral("There is nothing that can be measured again."));
      QVERIFY(!button(dialog, QStringLiteral("Measure"))->isEnabled());
      choose(choice(dialog, QStringLiteral("Everything")));
      QVERIFY(waitForCount(dialog));
      QCOMPARE(dialog.counted()->records, std::int64_t(64));
      QTRY_VERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
      // These were measured so: their session is shown again.
      QTest::mouseClick(button(dialog, QStringLiteral("Measure")), Qt::LeftButton);
    });
    QTRY_VERIFY(window_->findChild<Banner*>()->isVisible());
    QVERIFY(window_->findChild<Banner*>()->text().contains(
        QStringLiteral("were measured again on this target before")));
    QTRY_COMPARE(document().session().contents().sessions.size(), std::size_t(2));
  }

 private:
  Document& document() { return window_->document(); }
  RecordView& records() { return *window_->panels().view<RecordView>(); }
  static std::vector<Record> recordsOf(const RecordStore& store, RowId session) {
    RecordQuery query;
    query.session = session;
    query.limit = 100'000;
    return store.records().page(query);
  }

  QTemporaryDir folder_;
  QString path_;
  int files_ = 0;
  RowId first_ = 0;
  std::unique_ptr<MainWindow> window_;
};

NW_TEST_GUI(MeasuringAgain)

} // namespace nestwright::measuring_again_test

#include "measuring_again.moc"
