/// Dropping logs on the window: browsing while they load, broken lines, pausing and going on, and
/// that an import and a running session do not disturb each other.

#include "core/record/intake/import_report.h"
#include "core/record/sql/file_trouble.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/row_contents.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/import/import_following.h"
#include "ui/document/import/importer.h"
#include "ui/document/steering.h"
#include "ui/import/import_problem_model.h"
#include "ui/import/import_source_model.h"
#include "ui/import/import_view.h"
#include "ui/records/record_model.h"
#include "ui/records/record_view.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_exchange.h"
#include "ui/window/status_line.h"

#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <chrono>
#include <optional>

namespace nestwright::importing_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

const QString kLogs = QStringLiteral(NESTWRIGHT_TEST_DATA "/logs/");

/// A log of the repository with three broken lines in it.
QString brokenLog(const QTemporaryDir& folder) {
  QFile from(kLogs + QStringLiteral("matmul_512.records.json"));
  from.open(QIODevice::ReadOnly);
  QList<QByteArray> lines = from.readAll().split('\n');
  lines.insert(3, "{\"i\": [[\"broken");
  lines.insert(7, "no JSON at all");
  lines.insert(11, "{\"i\": 7, \"r\": 8}");
  const QString path = folder.filePath(QStringLiteral("broken.json"));
  QFile to(path);
  to.open(QIODevice::WriteOnly);
  to.write(lines.join('\n'));
  return path;
}

/// Many distinct records: those of a log again and again, measured at other times.
QString longLog(const QTemporaryDir& folder, int copies) {
  QFile from(kLogs + QStringLiteral("matmul_512.records.json"));
  from.open(QIODevice::ReadOnly);
  const QList<QByteArray> lines = from.readAll().trimmed().split('\n');
  const QString path = folder.filePath(QStringLiteral("long.json"));
  QFile to(path);
  to.open(QIODevice::WriteOnly);
  for (int copy = 0; copy < copies; ++copy)
    for (const QByteArray& line : lines) {
      // The last number before the version is the moment of the measurement.
      const qsizetype end = line.lastIndexOf(']', line.lastIndexOf("\"v\""));
      const qsizetype begin = line.lastIndexOf(',', end) + 1;
      to.write(line.left(begin) + QByteArray::number(1'600'000'000 + copy) + line.mid(end) + '\n');
    }
  return path;
}

void drop(MainWindow& window, const QStringList& files) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& file : files)
    urls.append(QUrl::fromLocalFile(file));
  data.setUrls(urls);
  QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &event);
}

/// Keeps an import from storing more than it has, so that it is under way for as long as it is
/// looked at; ten seconds at most.
class StandStill {
 public:
  /// Catches the moment between two of the import's transactions, which is too short to nap.
  explicit StandStill(const QString& path) : file_(path.toStdString(), sqlite::Access::ReadWrite) {
    file_.waitFor(std::chrono::milliseconds(0));
    for (bool held = false; !held;)
      try {
        file_.execute("BEGIN IMMEDIATE");
        held = true;
      } catch (const FileTrouble&) {
      }
  }
  void end() { file_.execute("ROLLBACK"); }

 private:
  sqlite::Database file_;
};

/// Stands still as soon as the import has told of its first records.
std::optional<StandStill> onceSomeAreStored(const Importer& importer, const QString& path) {
  std::optional<StandStill> still;
  const auto stop = [&] {
    if (!still && importer.progress().stored > 0) still.emplace(path);
  };
  const auto connection = QObject::connect(&importer, &Importer::changed, stop);
  [[maybe_unused]] const bool begun = QTest::qWaitFor([&] { return still.has_value(); }, 10'000);
  QObject::disconnect(connection);
  return still;
}

std::int64_t recordsOf(const QString& path) {
  return RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().total();
}

class Importing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void logsAreKnownByTheirNames() {
    QVERIFY(looksLikeLogs({kLogs}));
    QVERIFY(looksLikeLogs({QStringLiteral("a.json.gz"), QStringLiteral("a.dag")}));
    QVERIFY(!looksLikeLogs({QStringLiteral("a.dag")}));
    QVERIFY(!looksLikeLogs({QStringLiteral("a.nwdb")}));
    QVERIFY(!looksLikeLogs({QStringLiteral("a.json"), QStringLiteral("a.onnx")}));
    const QTemporaryDir folder;
    const QString log = brokenLog(folder);
    QFile::copy(log, folder.filePath(QStringLiteral("broken.dag")));
    const ImportWish wish = importWish({log, QStringLiteral("/x/other.nwdb")});
    QCOMPARE(wish.logs, QStringList(log));
    QCOMPARE(wish.dags, QStringList(folder.filePath(QStringLiteral("broken.dag"))));
    QCOMPARE(wish.documents.size(), 1);
  }

  /// Nothing is open: a new document, which shows the records, and the lines that are broken.
  void aNewDocumentShowsRecordsAndBrokenLines() {
    const QTemporaryDir folder;
    const QString log = brokenLog(folder), file = folder.filePath(QStringLiteral("new.nwdb"));
    {
      MainWindow window(coreCatalogue());
      window.resize(1280, 800);
      window.show();
      window.exchange().import({log}, file);
      const Importer& importer = window.document().importer();
      QTRY_COMPARE(importer.state(), ImportState::Finished);
      QCOMPARE(importer.progress().broken, std::int64_t(3));
      QTRY_COMPARE(window.document().state(), DocumentState::Ready);
      QTRY_COMPARE(window.document().session().progress().trials, std::int64_t(20));
      QCOMPARE(window.document().session().tasks().size(), std::size_t(1));
      window.panels().raise(QStringLiteral("records"));
      QTRY_COMPARE(window.panels().view<RecordView>()->model()->rowCount(), 20);
      checkBrokenLines(window, log);
      QVERIFY(importer.resultText().contains(QStringLiteral("3 broken lines")));
      window.close();
      QTRY_COMPARE(window.document().state(), DocumentState::Empty);
    }
    // They are there when the document is opened again, without the import.
    MainWindow window(coreCatalogue());
    window.resize(1280, 800);
    window.show();
    window.openFile(file);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    checkBrokenLines(window, log);
    QVERIFY(!window.exchange().view()->resumeButton()->isVisible());
    // Records have no budget, and there is no session to go on with.
    const QString status = window.statusLine()->text();
    QVERIFY2(status.contains(QStringLiteral("20 records imported")), qPrintable(status));
    QVERIFY2(!status.contains(QStringLiteral("trials")), qPrintable(status));
    QVERIFY(isImport(window.document().session().row()));
    for (const QAction* action : {window.actions().start, window.actions().tuneShortly,
                                  window.actions().moreTrials, window.actions().runAgain})
      QVERIFY2(!action->isEnabled(), qPrintable(action->text()));
    QVERIFY(window.actions().start->toolTip().contains(QStringLiteral("imported")));
  }

  /// Dropped on an open document, browsed meanwhile, paused, and gone on with in another window.
  void pausedAndGoneOnWith() {
    const QTemporaryDir folder;
    const QString log =
        longLog(folder, 8000); // 160,000 records, of which 20,000 are stored at a time
    const auto sample = makeSample(20);
    {
      MainWindow window(coreCatalogue());
      window.resize(1280, 800);
      window.show();
      window.openFile(sample->path);
      QTRY_COMPARE(window.document().state(), DocumentState::Ready);
      drop(window, {log});
      const Importer& importer = window.document().importer();
      QVERIFY(importer.isActive());
      QVERIFY(!window.document().steering().canStart());
      QVERIFY(!window.document().importer().begin(importer.wish())); // one at a time
      std::optional<StandStill> still = onceSomeAreStored(importer, sample->path);
      QVERIFY(still);
      if (recordsOf(sample->path) == 160'020) QSKIP("it was over before it could be held");
      // The import's session comes up by itself, to be looked at.
      QTRY_VERIFY(window.document().session().row().id != sample->session);
      QTRY_COMPARE(window.document().state(), DocumentState::Ready);
      window.panels().raise(QStringLiteral("records"));
      QTRY_VERIFY(window.panels().view<RecordView>()->model()->rowCount() > 0);
      QTRY_VERIFY(window.document().session().progress().trials > 0);
      QCOMPARE(isImporting(window.document()), true);
      QVERIFY(window.statusLine()->text().contains(QStringLiteral("import")));
      window.exchange().view()->pauseButton()->click();
      QCOMPARE(importer.state(), ImportState::Stopping);
      still->end();
      QTRY_COMPARE(importer.state(), ImportState::Stopped);
      const std::int64_t there = recordsOf(sample->path);
      QVERIFY(there > 20 && there < 160'020);
      QVERIFY(window.document().steering().canStart() ||
              window.document().session().row().id != sample->session);
    }
    MainWindow window(coreCatalogue());
    window.resize(1280, 800);
    window.show();
    window.openFile(sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    window.showView(QStringLiteral("import"));
    QTRY_VERIFY(window.exchange().view()->resumeButton()->isVisible());
    window.exchange().view()->resumeButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(window.document().importer().state(), ImportState::Finished, 60'000);
    QCOMPARE(recordsOf(sample->path), std::int64_t(160'020));
    QTRY_VERIFY(!window.exchange().view()->resumeButton()->isVisible());
    QCOMPARE(RecordStore::open(sample->path.toStdString()).check(), std::vector<std::string>());
  }

  /// Closing the window in the middle stops it at a whole line.
  void closingStopsIt() {
    const QTemporaryDir folder;
    const QString log = longLog(folder, 8000), file = folder.filePath(QStringLiteral("new.nwdb"));
    {
      MainWindow window(coreCatalogue());
      window.show();
      window.exchange().import({log}, file);
      std::optional<StandStill> still = onceSomeAreStored(window.document().importer(), file);
      QVERIFY(still);
      if (recordsOf(file) == 160'000) QSKIP("it was over before it could be held");
      QTRY_COMPARE(window.document().state(), DocumentState::Ready);
      still->end();
      window.close();
      QTRY_COMPARE(window.document().state(), DocumentState::Empty);
      QVERIFY(!window.document().importer().isActive());
    }
    QVERIFY(recordsOf(file) < 160'000);
    const ImportSource source = importSources(file.toStdString()).front();
    QCOMPARE(source.lines, source.records);
    QCOMPARE(source.records, recordsOf(file));
  }

  /// A log that is known, dropped once more with the definition of its task.
  void aDefinitionComesLater() {
    const QTemporaryDir folder;
    const QString log = folder.filePath(QStringLiteral("mine.json")),
                  file = folder.filePath(QStringLiteral("new.nwdb"));
    QFile from(kLogs + QStringLiteral("matmul_512.records.json")), to(log);
    QVERIFY(from.open(QIODevice::ReadOnly) && to.open(QIODevice::WriteOnly));
    to.write(from.readAll().replace(R"([\"matmul\")", R"([\"mine\")"));
    to.close();
    MainWindow window(coreCatalogue());
    window.show();
    window.exchange().import({log}, file);
    QTRY_COMPARE(window.document().importer().state(), ImportState::Finished);
    QTRY_COMPARE(window.document().session().progress().trials, std::int64_t(20));
    QVERIFY(window.document().session().tasks()[0].row.dag.empty());
    QFile dag(folder.filePath(QStringLiteral("mine.dag")));
    QVERIFY(dag.open(QIODevice::WriteOnly));
    dag.write("A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
              "C(i, j) += (A[i, k]*B[k, j])\n");
    dag.close();
    drop(window, {log, dag.fileName()});
    QTRY_VERIFY(!window.document().session().tasks()[0].row.dag.empty());
    QCOMPARE(window.document().importer().progress().records, std::int64_t(0));
  }

  /// A file of imports opens with all its records in sight, not with those of its last import; and
  /// what was known already makes no session that it could open on.
  void aFileOfImportsOpensWithAllItsRecords() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("new.nwdb"));
    const auto take = [&](const char* name) {
      LogImportOptions options;
      options.database = file.toStdString();
      options.inputs = {(kLogs + QLatin1String(name)).toStdString()};
      importLogs(options, std::atomic<bool>{false});
    };
    take("matmul_512.records.json");
    take("matmul.json.gz");
    take("matmul.json.xz"); // which holds the same record
    MainWindow window(coreCatalogue());
    window.resize(1280, 800);
    window.show();
    window.openFile(file);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    QCOMPARE(window.document().session().contents().sessions.size(), std::size_t(2));
    QCOMPARE(window.document().session().progress().trials, std::int64_t(1));
    window.panels().raise(window.panels().panel(QStringLiteral("records")));
    QTRY_COMPARE(window.panels().view<RecordView>()->model()->rowCount(), 21);
    // The task has the fastest record of the log, which is no best.
    const QAbstractItemModel* tasks = window.panels().view<TaskView>()->model();
    QCOMPARE(tasks->rowCount(), 1);
    const QModelIndex best = tasks->index(0, TaskModel::Best);
    QTRY_VERIFY2(best.data().toString().startsWith(QStringLiteral("imported ")),
                 qPrintable(best.data().toString())); // looked for when the rows are there
    QVERIFY(best.data(Qt::ToolTipRole).toString().contains(QStringLiteral("as a log tells it")));
    const TaskView& view = *window.panels().view<TaskView>();
    QTRY_VERIFY2(view.columnWidth(TaskModel::Best) >
                     view.fontMetrics().horizontalAdvance(best.data().toString()),
                 "the number is cut off");
  }

  void anotherDocumentIsTakenIn() {
    const auto a = makeSample(20), b = makeSample(30);
    MainWindow window(coreCatalogue());
    window.show();
    window.openFile(a->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    window.exchange().import({b->path});
    QTRY_COMPARE(window.document().importer().state(), ImportState::Finished);
    // Both samples are of one session, which the second one went on with.
    QCOMPARE(window.document().importer().mergedRecords(), std::int64_t(10));
    QTRY_COMPARE(window.document().session().progress().trials, std::int64_t(30));
    QCOMPARE(RecordStore::open(a->path.toStdString()).check(), std::vector<std::string>());
  }

  void whatCannotBeReadIsSaid() {
    const QTemporaryDir folder;
    const QString log = folder.filePath(QStringLiteral("none.json"));
    MainWindow window(coreCatalogue());
    window.show();
    window.exchange().import({log}, folder.filePath(QStringLiteral("new.nwdb")));
    QTRY_COMPARE(window.document().importer().state(), ImportState::Failed);
    QTRY_COMPARE(window.document().state(), DocumentState::Failed);
    QVERIFY(window.document().errorText().contains(QStringLiteral("none.json")));
  }

 private:
  void checkBrokenLines(MainWindow& window, const QString& log) {
    ImportView* view = window.exchange().view();
    window.showView(QStringLiteral("import"));
    QTRY_COMPARE(view->problems()->rowCount(), 3);
    QCOMPARE(view->sources()->rowCount(), 1);
    const ImportProblemRow& second = view->problems()->row(1);
    QCOMPARE(second.path, log);
    QCOMPARE(second.line, std::int64_t(8));
    QVERIFY(!second.reason.isEmpty());
    QFile file(log);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.seek(second.offset));
    QCOMPARE(file.readLine().trimmed(), QByteArray("no JSON at all"));
    Q_EMIT view->problemTable()->doubleClicked(view->problems()->index(1, 0));
    QTRY_COMPARE(view->lineText(), QStringLiteral("no JSON at all"));
    // What an export writes.
    int rows = 0;
    view->exports().table->rows([&](const QStringList& cells) {
      rows += cells.size() == ImportProblemModel::ColumnCount ? 1 : 0;
      return true;
    });
    QCOMPARE(rows, 3);
  }
};

NW_TEST_GUI(Importing)

} // namespace nestwright::importing_test

#include "importing.moc"
