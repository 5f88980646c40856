/// What a new session remembers: which files, what is wrong with them, and what they know of its
/// tasks, read beside everything else.

#include "ui/window/new_session/memory_form.h"

#include "core/record/store/store.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/ui/form_fields.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "ui/document/settings.h"
#include "ui/kit/format.h"
#include "ui/window/new_session/known_tasks_model.h"
#include "ui/window/new_session/new_session_dialog.h"

#include <sqlite3.h>

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <fstream>

namespace nestwright::memory_form_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// One task that is known, one of which a similar one is, and one that is not.
MemorySurvey threeTasks() {
  MemorySurvey survey;
  survey.files = {{"/some/where/tuned.nwdb", "", "", 3, 3}};
  RememberedProgram exact, similar;
  exact.file = "/some/where/tuned.nwdb";
  exact.record = 7;
  exact.fromTask = "dense 512->1000";
  exact.fromTarget = "llvm, 2 cores";
  exact.seconds = 2.5e-3;
  exact.measuredAt = 1'700'000'000'000'000;
  similar = exact;
  similar.source = MemorySource::SameKind;
  similar.fromTask = "conv2d 28x28 64->64";
  similar.distance = 2;
  similar.isMeasured = false;
  UnfitProgram unfit{MemorySource::SameKind, exact.file, similar.fromTask, 9, "no legal factors"};
  survey.known.tasks = {{"a", "dense 512->1000", {exact, similar}, {}},
                        {"b", "conv2d 56x56 64->64", {similar}, {unfit}},
                        {"c", "softmax 64", {}, {}}};
  return survey;
}

SessionConfig configOf(const char* subject) {
  SessionConfig config;
  config.subjects = {subject};
  config.measure.threads = 2;
  return config;
}

QString allText(const QWidget& root) {
  QStringList all;
  for (const QLabel* label : root.findChildren<QLabel*>())
    if (label->isVisibleTo(&root)) all.append(label->text());
  return all.join('\n');
}

QAbstractButton* button(const QWidget& root, const QString& text) {
  for (QAbstractButton* one : root.findChildren<QAbstractButton*>())
    if (one->text().remove(QLatin1Char('&')) == text && one->isVisibleTo(&root)) return one;
  return nullptr;
}

class MemoryFormTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(settings_);
    Settings::setFolder(folder_.path());
    known_ = folder_.filePath(QStringLiteral("known.nwdb"));
    SessionConfig config = madeUpConfig("random");
    config.subjects = {"matmul:m=32,n=32,k=32"};
    config.measure.threads = 2;
    runMadeUpSession(known_, config);
  }

  void whatIsKnownIsToldTaskByTask() {
    MemoryForm form(nullptr, [](const auto&, const auto&, const auto&) { return threeTasks(); });
    form.show();
    QVERIFY(!form.knownButton()->isVisible());
    form.setSession(configOf("resnet18"), QStringLiteral("new.nwdb"));
    QVERIFY(says(form, QStringLiteral("Reading what is known")));
    QTRY_VERIFY(form.survey());
    QVERIFY2(says(form, QStringLiteral("Of 3 tasks: 1 exact; 1 similar; 1 not known. 3 programs")),
             qPrintable(allText(form)));
    QVERIFY(!form.table()->isVisible());
    form.knownButton()->click();
    QVERIFY(form.table()->isVisible());
    const QAbstractItemModel& table = *form.table()->model();
    using Model = KnownTasksModel;
    const auto cell = [&](int row, int column) {
      return table.index(row, column).data().toString();
    };
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(cell(0, Model::Standing), QStringLiteral("exact"));
    QCOMPARE(cell(0, Model::Best), timeText(2.5e-3));
    QVERIFY(cell(0, Model::When).startsWith(QStringLiteral("2023-11-1")));
    QCOMPARE(cell(0, Model::Target), QStringLiteral("llvm, 2 cores"));
    QCOMPARE(cell(0, Model::Programs), QStringLiteral("2"));
    QCOMPARE(cell(1, Model::Standing),
             QStringLiteral("similar: conv2d 28x28 64→64, extents %1 apart").arg(factorText(4)));
    QCOMPARE(cell(2, Model::Standing), QStringLiteral("nothing"));
    QCOMPARE(cell(2, Model::Best), noValue());
    // The seeds in the words of `nestwright seeds`.
    const QModelIndex second = table.index(1, 0);
    QCOMPARE(table.rowCount(second), 2);
    QCOMPARE(table.index(0, 0, second).data().toString(),
             QStringLiteral("a parent: ") +
                 QString::fromStdString(reasonText(form.survey()->known.tasks[1].programs[0])));
    QVERIFY(
        table.index(1, 0, second).data().toString().contains(QStringLiteral("no legal factors")));
    QVERIFY(table.index(0, 0, table.index(0, 0))
                .data()
                .toString()
                .startsWith(QStringLiteral("to measure: record 7")));
  }

  void offIsOffAndFilesAreAddedAndDropped() {
    MemoryForm form(nullptr, [](const auto&, const auto&, const auto&) { return threeTasks(); });
    form.show();
    QCOMPARE(form.memory(), std::vector<std::string>{"this"});
    form.ownBox()->click();
    QVERIFY(form.memory().empty());
    QVERIFY(says(form, QStringLiteral("Off")));
    QVERIFY(!form.offerButton()->isVisible());
    form.offerFile(known_);
    QTest::mouseClick(form.offerButton(), Qt::LeftButton);
    QCOMPARE(form.memory(), std::vector<std::string>{known_.toStdString()});
    QVERIFY(!form.offerButton()->isVisible());
    form.addFile(known_); // once is enough
    QCOMPARE(form.memory().size(), std::size_t(1));
    form.ownBox()->click();
    QCOMPARE(form.memory(), (std::vector<std::string>{"this", known_.toStdString()}));
    QSignalSpy changed(&form, &MemoryForm::changed);
    QTest::mouseClick(button(form, QStringLiteral("Remove")), Qt::LeftButton);
    QTRY_COMPARE(form.memory(), std::vector<std::string>{"this"});
    QVERIFY(!changed.isEmpty() && !button(form, QStringLiteral("Remove")));
  }

  /// What is asked anew is not waited for, and its late answer is none.
  void theWindowDoesNotWait() {
    QSemaphore mayEnd;
    MemoryForm form(nullptr, [&](const SessionConfig& config, const auto&, const auto& check) {
      if (config.subjects.front() == "slow") mayEnd.acquire();
      check();
      MemorySurvey survey = threeTasks();
      if (config.subjects.front() != "slow") survey.known.tasks.resize(1);
      return survey;
    });
    const auto end = qScopeGuard([&] { mayEnd.release(); }); // nothing waits for ever
    form.setSession(configOf("slow"), {});
    QTest::qWait(500); // it has begun
    form.setSession(configOf("quick"), {});
    QTRY_VERIFY_WITH_TIMEOUT(form.survey(), 30'000);
    QCOMPARE(form.survey()->known.tasks.size(), std::size_t(1));
    mayEnd.release();
    QTest::qWait(100);
    QCOMPARE(form.survey()->known.tasks.size(), std::size_t(1));
  }

  void failuresAreTold() {
    MemoryForm form(nullptr, [](const auto&, const auto&, const auto&) -> MemorySurvey {
      throw SystemError("the disk is gone");
    });
    form.show();
    form.setSession(configOf("resnet18"), {});
    QTRY_VERIFY(form.survey());
    QVERIFY2(says(form, QStringLiteral("The disk is gone.")), qPrintable(allText(form)));
  }

  void filesThatAreNoHelpSaySo_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("said");
    QTest::addColumn<bool>("isProblem");
    QTest::newRow("good") << "good"
                          << "one task, on this target" << false;
    QTest::newRow("absent") << "absent"
                            << "There is no file" << true;
    QTest::newRow("no document") << "text"
                                 << "text.nwdb" << true;
    QTest::newRow("newer") << "newer"
                           << "newer Nestwright" << true;
    QTest::newRow("locked") << "locked"
                            << "locked" << true;
    QTest::newRow("empty") << "empty"
                           << "no tasks" << false;
    QTest::newRow("other target") << "elsewhere"
                                  << "measured on this target" << false;
  }
  void filesThatAreNoHelpSaySo() {
    QFETCH(QString, kind);
    QFETCH(QString, said);
    QFETCH(bool, isProblem);
    const QString file = folder_.filePath(kind + QStringLiteral(".nwdb"));
    sqlite3* locking = nullptr;
    int threads = 2;
    if (kind == QLatin1String("text"))
      std::ofstream(file.toStdString()) << "no document at all, and long enough to be one";
    else if (kind == QLatin1String("empty"))
      RecordStore::open(file.toStdString(), OpenMode::Create);
    else if (kind != QLatin1String("absent"))
      QVERIFY(QFile::copy(known_, file));
    if (kind == QLatin1String("newer") || kind == QLatin1String("locked")) {
      QCOMPARE(sqlite3_open(qPrintable(file), &locking), SQLITE_OK);
      const char* sql = kind == QLatin1String("newer")
                            ? "PRAGMA user_version = 9999; ALTER TABLE mark RENAME TO marks"
                            : "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE";
      QCOMPARE(sqlite3_exec(locking, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    }
    if (kind == QLatin1String("elsewhere")) threads = 1;
    MemoryForm form;
    form.show();
    form.addFile(file);
    SessionConfig config = configOf("matmul:m=32,n=32,k=32");
    config.measure.threads = threads;
    form.setSession(config, folder_.filePath(QStringLiteral("none.nwdb")));
    QTRY_VERIFY_WITH_TIMEOUT(form.survey(), 30'000);
    sqlite3_close(locking);
    QVERIFY2(says(form, said), qPrintable(allText(form)));
    QCOMPARE(!form.problem().isEmpty(), isProblem);
    if (kind == QLatin1String("good")) {
      QVERIFY2(says(form, QStringLiteral("1 exact")), qPrintable(allText(form)));
      QCOMPARE(form.survey()->known.tasks.size(), std::size_t(1));
    }
  }

  /// The default is what the command line's is, and what the dialog shows is what it makes.
  void theDialogRemembers() {
    NewSessionDialog dialog(coreCatalogue());
    dialog.show();
    dialog.setSubject(QStringLiteral("matmul:m=32,n=32,k=32"));
    QCOMPARE(dialog.config().memory, std::vector<std::string>{"this"});
    dialog.setOpenDocument(known_);
    auto* form = dialog.findChild<MemoryForm*>();
    QTest::mouseClick(form->offerButton(), Qt::LeftButton);
    QCOMPARE(dialog.config().memory, (std::vector<std::string>{"this", known_.toStdString()}));
    QTRY_VERIFY_WITH_TIMEOUT(form->survey(), 30'000);
    QTRY_COMPARE(dialog.problem(), QString());
    form->addFile(folder_.filePath(QStringLiteral("nowhere.nwdb")));
    QVERIFY(dialog.problem().contains(QStringLiteral("no file")));
    SessionConfig other = dialog.config();
    other.memory.clear();
    dialog.setConfig(other);
    QVERIFY(dialog.config().memory.empty());
    QVERIFY(!form->ownBox()->isChecked());
  }

 private:
  QTemporaryDir settings_, folder_;
  QString known_;
};

NW_TEST_GUI(MemoryFormTest)

} // namespace nestwright::memory_form_test

#include "memory_form.moc"
