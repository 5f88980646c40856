/// The program that is shown is polished from the window: by the menu of records and in the panel
/// Program, where it can be; where it cannot, the command says why.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/search/origin.h"
#include "core/session/run/finish/polish_session.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/target/target.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/replaying.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/records/record_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"
#include "ui/window/polish/polish_dialog.h"

#include <QAction>
#include <QApplication>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>

namespace nestwright::polishing_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class PolishingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(folder_);
    Settings::setFolder(folder_.path());
  }

  void cleanup() {
    if (!window_) return;
    window_->close();
    QTRY_COMPARE(document().state(), DocumentState::Empty);
    window_.reset();
  }

  void theShownProgramIsPolished() {
    const QString path = newPath();
    const RowId first = runMadeUpSession(path, madeUpConfig("random"));
    show(path);
    const Record chosen = recordOf(path, Verdict::Ok);
    document().selection().select({chosen.task, chosen.id});
    QTRY_VERIFY2(action().isEnabled(), qPrintable(whyNot(&action())));
    // It is in the menu of records, and a button of the panel Program.
    window_->panels().raise(QStringLiteral("records"));
    QVERIFY(window_->panels().view<RecordView>()->table()->actions().contains(&action()));
    window_->panels().raise(QStringLiteral("program"));
    QToolButton* button = nullptr;
    for (QToolButton* one :
         window_->panels().view<ProgramView>()->head()->findChildren<QToolButton*>())
      if (one->defaultAction() == &action()) button = one;
    QVERIFY(button && button->isVisible());
    bool used = false;
    QTimer::singleShot(0, this, [&] {
      auto* dialog = qobject_cast<PolishDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog);
      QVERIFY(dialog->windowTitle().contains(QString::number(chosen.id)));
      dialog->findChild<QSpinBox*>()->setValue(8);
      used = true;
      QTest::keyClick(dialog, Qt::Key_Return);
    });
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(used);
    QTRY_VERIFY_WITH_TIMEOUT(document().state() == DocumentState::Ready &&
                                 document().session().row().id != first,
                             60'000);
    QTRY_COMPARE_WITH_TIMEOUT(document().session().status(), SessionStatus::Finished, 60'000);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const RowId session = document().session().row().id;
    QVERIFY(QString::fromStdString(store.sessions().one(session)->title)
                .startsWith(QStringLiteral("Polish of record %1").arg(chosen.id)));
    RecordQuery query;
    query.session = session;
    const std::vector<Record> polished = store.records().page(query);
    QVERIFY(!polished.empty() && polished.size() <= 8);
    for (const Record& record : polished) {
      QCOMPARE(traceOf(record)->origin, Origin::Polish);
      QCOMPARE(record.task, chosen.task);
    }
  }

  void whereItCannotBeItSaysWhy() {
    const QString path = newPath();
    runMadeUpSession(path, madeUpConfig("random"));
    window_ = std::make_unique<MainWindow>(coreCatalogue(), madeUpSessions());
    window_->show();
    QVERIFY(!action().isEnabled() && !whyNot(&action()).isEmpty()); // no document
    window_->openFile(path);
    QTRY_COMPARE(document().state(), DocumentState::Ready);
    const Record failed = recordOf(path, Verdict::RunError);
    document().selection().select({failed.task, failed.id});
    QTRY_VERIFY2(whyNot(&action()).contains(QStringLiteral("did not run")),
                 qPrintable(whyNot(&action())));
    QVERIFY(!action().isEnabled());
    const Record good = recordOf(path, Verdict::Ok);
    document().selection().select({good.task, good.id});
    QTRY_VERIFY2(action().isEnabled(), qPrintable(whyNot(&action())));
    startReplay(document());
    QTRY_VERIFY2(whyNot(&action()).contains(QStringLiteral("end the replay first")),
                 qPrintable(whyNot(&action())));
  }

  void aProgramOfAnotherTargetCannot() {
    const QString path = newPath();
    SessionConfig config = madeUpConfig("random");
    config.trials = 16;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
      TargetFacts other = hostTarget(2);
      other.modelName = "another processor";
      other.cpuName = "pentium4";
      made_up::runToEnd(path, createSession(store, config, other));
    }
    show(path);
    const Record good = recordOf(path, Verdict::Ok);
    document().selection().select({good.task, good.id});
    QTRY_VERIFY2(whyNot(&action()).contains(QStringLiteral("another target")),
                 qPrintable(whyNot(&action())));
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
    PolishWish wish;
    wish.record = good.id;
    QVERIFY_THROWS_EXCEPTION(InputError, createPolishSession(store, wish)); // nor by other ways
  }

 private:
  Document& document() { return window_->document(); }
  QString newPath() { return folder_.filePath(QStringLiteral("%1.nwdb").arg(++files_)); }
  QAction& action() { return *window_->findChild<QAction*>(QStringLiteral("polish")); }

  void show(const QString& path) {
    window_ = std::make_unique<MainWindow>(coreCatalogue(), madeUpSessions());
    window_->resize(1280, 800);
    window_->show();
    window_->openFile(path);
    QTRY_COMPARE(document().state(), DocumentState::Ready);
  }

  static Record recordOf(const QString& path, Verdict verdict) {
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    RecordQuery query;
    query.verdict = verdict;
    query.limit = 1;
    const std::vector<Record> found = store.records().page(query);
    if (found.empty()) qFatal("no such record");
    return found.front();
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  int files_ = 0;
};

NW_TEST_GUI(PolishingTest)

} // namespace nestwright::polishing_test

#include "polishing.moc"
