#include "core/record/file/document_file.h"
#include "core/record/rows/record_statistics.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/exporter.h"
#include "ui/kit/table/row_table.h"
#include "ui/records/filter_line.h"
#include "ui/records/latency_histogram.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_statistics.h"
#include "ui/records/record_tags.h"
#include "ui/records/record_view.h"
#include "ui/records/saved_filters.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/panel_host.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

namespace nestwright::record_filters_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

FilterVocabulary someWords() {
  FilterVocabulary words;
  words.tasks = {{"T0", "Conv 3x3 64→64 on 56x56"}, {"T1", "Dense 512"}};
  words.tags = {{"keep", ""}, {"two words", ""}};
  return words;
}

/// A view of the sample's 300 records that shows them all.
struct Shown {
  std::unique_ptr<Sample> sample = makeSample(300);
  Document document;
  RecordView view{document};
  Shown() {
    view.resize(1000, 500);
    view.show();
    openSample(document, *sample);
    document.selection().select({});
  }
  int rows() const { return view.model()->rowCount(); }
  void type(const QString& text) {
    FilterLine* line = view.bar()->line();
    line->setFocus();
    line->selectAll();
    if (text.isEmpty())
      QTest::keyClick(line, Qt::Key_Delete);
    else
      QTest::keyClicks(line, text);
    line->closeList();
    QTest::keyClick(line, Qt::Key_Return);
  }
};

class RecordFiltersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void suggestionsFit_data();
  void suggestionsFit();
  void suggestionsAreTakenByKeys();
  void typedFiltersList();
  void mistakesAreTold_data();
  void mistakesAreTold();
  void wordsBeingWrittenAreNoMistake();
  void chipsRemoveConditions();
  void filtersAreUndone();
  void headersSort();
  void figuresFollow();
  void brushingSetsTheLatency();
  void columnsAreChosen();
  void menuListsOnlySuch();
  void tagsAreUndone();
  void savedFiltersStayInTheDocument();
  void listsAreExported();
  void countsAreDroppedWhenTheFilterChanges();
  void reopenedWithTheSameFilter();
};

void RecordFiltersTest::suggestionsFit_data() {
  QTest::addColumn<QString>("text"); // the cursor is at the |
  QTest::addColumn<QString>("first");
  QTest::addColumn<QString>("result");
  QTest::newRow("field") << "la|"
                         << "latency"
                         << "latency|";
  QTest::newRow("any field") << "|"
                             << "task:"
                             << "task:|";
  QTest::newRow("negated") << "-err|"
                           << "error:"
                           << "-error:|";
  QTest::newRow("second word") << "error:none st| x"
                               << "steps:"
                               << "error:none steps:| x";
  QTest::newRow("word") << "error:run-e|"
                        << "run-error"
                        << "error:run-error |";
  QTest::newRow("middle of a word") << "error:timeo|"
                                    << "timeout"
                                    << "error:timeout |";
  QTest::newRow("set") << "error:none,ill|"
                       << "illegal"
                       << "error:none,illegal |";
  QTest::newRow("task by name") << "task:dense|"
                                << "T1"
                                << "task:T1 |";
  QTest::newRow("tag") << "tag:two|"
                       << "two words"
                       << "tag:\"two words\" |";
  QTest::newRow("quoted") << "tag:\"two w|"
                          << "two words"
                          << "tag:\"two words\" |";
  QTest::newRow("mark by its meaning") << "is:once|"
                                       << "was-best"
                                       << "is:was-best |";
  QTest::newRow("before a comma") << "error:ill|,none"
                                  << "illegal"
                                  << "error:illegal|,none";
  QTest::newRow("nothing") << "zebra|"
                           << ""
                           << "";
  QTest::newRow("numbers") << "latency:1|"
                           << ""
                           << "";
}

void RecordFiltersTest::suggestionsFit() {
  QFETCH(QString, text);
  QFETCH(QString, first);
  QFETCH(QString, result);
  int cursor = int(text.indexOf(QLatin1Char('|')));
  text.remove(cursor, 1);
  const auto found = suggestions(text, cursor, someWords());
  QCOMPARE(found.empty() ? QString() : found[0].shown, first);
  if (found.empty()) return;
  const QString whole = accepted(text, found[0], cursor);
  QCOMPARE(whole.left(cursor) + QLatin1Char('|') + whole.mid(cursor), result);
}

void RecordFiltersTest::suggestionsAreTakenByKeys() {
  Shown shown;
  QTRY_COMPARE(shown.rows(), 300);
  FilterLine* line = shown.view.bar()->line();
  line->setFocus();
  QTest::keyClicks(line, QStringLiteral("err"));
  QCOMPARE(line->offered().size(), std::size_t(1));
  QTest::keyClick(line, Qt::Key_Tab);
  QCOMPARE(line->text(), QStringLiteral("error:"));
  QVERIFY(line->offered().size() > 5); // its values are next
  QTest::keyClick(line, Qt::Key_Down);
  QTest::keyClick(line, Qt::Key_Down);
  QTest::keyClick(line, Qt::Key_Return);
  QCOMPARE(line->text(), QStringLiteral("error:any "));
  QVERIFY(line->offered().empty());
  QTest::keyClick(line, Qt::Key_Return);
  QTRY_COMPARE(shown.rows(), 30);
  // Escape closes the list, and leaves the text.
  QTest::keyClicks(line, QStringLiteral("ta"));
  QVERIFY(!line->offered().empty());
  QTest::keyClick(line, Qt::Key_Escape);
  QVERIFY(line->offered().empty());
  QCOMPARE(line->text(), QStringLiteral("error:any ta"));
}

void RecordFiltersTest::typedFiltersList() {
  Shown shown;
  QTRY_COMPARE(shown.rows(), 300);
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("300 of 300 records"));
  shown.type(QStringLiteral("error:any task:T1,T2"));
  QTRY_COMPARE(shown.rows(), 20);
  QTRY_COMPARE(shown.view.bar()->count(), QStringLiteral("20 of 300 records"));
  shown.type(QStringLiteral("trial:1..100 -error:any"));
  QTRY_COMPARE(shown.rows(), 90);
  shown.type({});
  QTRY_COMPARE(shown.rows(), 300);
  // Without Return, after a pause.
  QTest::keyClicks(shown.view.bar()->line(), QStringLiteral("trial:7"));
  QTRY_COMPARE(shown.rows(), 1);
}

void RecordFiltersTest::mistakesAreTold_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("says");
  QTest::newRow("field") << "error:none latncy<1ms"
                         << "did you mean latency&lt;1ms?";
  QTest::newRow("unit") << "latency<1"
                        << "lacks its unit";
  QTest::newRow("bare") << "conv2d"
                        << "write task:conv2d";
}

void RecordFiltersTest::mistakesAreTold() {
  QFETCH(QString, text);
  QFETCH(QString, says);
  Shown shown;
  QTRY_COMPARE(shown.rows(), 300);
  shown.type(text);
  QVERIFY2(shown.view.bar()->problem().contains(says), qPrintable(shown.view.bar()->problem()));
  QCOMPARE(shown.rows(), 300); // what is listed stays
  shown.type(QStringLiteral("error:any"));
  QVERIFY(shown.view.bar()->problem().isEmpty());
  QTRY_COMPARE(shown.rows(), 30);
}

void RecordFiltersTest::wordsBeingWrittenAreNoMistake() {
  Shown shown;
  FilterLine* line = shown.view.bar()->line();
  shown.view.activateWindow();
  line->setFocus();
  if (!line->hasFocus()) QSKIP("the platform gives no focus");
  QTest::keyClicks(line, QStringLiteral("error:any lat"));
  QTest::qWait(700);
  QVERIFY2(shown.view.bar()->problem().isEmpty(), qPrintable(shown.view.bar()->problem()));
  QTest::keyClick(line, Qt::Key_Home);
  QTest::keyClicks(line, QStringLiteral("x:1 "));
  QTRY_VERIFY(!shown.view.bar()->problem().isEmpty());
}

void RecordFiltersTest::chipsRemoveConditions() {
  Shown shown;
  shown.type(QStringLiteral("error:any trial:1..100"));
  QTRY_COMPARE(shown.rows(), 10);
  QCOMPARE(shown.view.bar()->chips().size(), std::size_t(2));
  QVERIFY(shown.view.bar()->chips()[1]->text().startsWith(QStringLiteral("trial 1 to 100")));
  QTest::mouseClick(shown.view.bar()->chips()[1], Qt::LeftButton);
  QTRY_COMPARE(shown.rows(), 30);
  QCOMPARE(shown.view.bar()->line()->text(), QStringLiteral("error:any"));
  QCOMPARE(shown.view.bar()->chips().size(), std::size_t(1));
}

void RecordFiltersTest::filtersAreUndone() {
  Shown shown;
  shown.type(QStringLiteral("error:any"));
  QTRY_COMPARE(shown.rows(), 30);
  QTest::qWait(1100); // changes within a second are one
  shown.type(QStringLiteral("trial:1..5"));
  QTRY_COMPARE(shown.rows(), 5);
  QUndoStack& undo = shown.document.undoStack();
  QCOMPARE(undo.undoText(), QStringLiteral("filter trial:1..5"));
  undo.undo();
  QTRY_COMPARE(shown.rows(), 30);
  QCOMPARE(shown.view.bar()->line()->text(), QStringLiteral("error:any"));
  undo.undo();
  QTRY_COMPARE(shown.rows(), 300);
  QVERIFY(shown.view.bar()->chips().empty());
  undo.redo();
  QTRY_COMPARE(shown.rows(), 30);
}

void RecordFiltersTest::headersSort() {
  Shown shown;
  QTRY_COMPARE(shown.rows(), 300);
  const auto click = [&](RecordModel::Column column) {
    QHeaderView* header = shown.view.table()->horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(column) + 8, 5));
  };
  const auto first = [&](RecordModel::Column column) {
    return shown.view.model()->index(0, column).data(ExportRole).toDouble();
  };
  QTRY_COMPARE(first(RecordModel::Trial), 300.0);
  click(RecordModel::Trial);
  QTRY_COMPARE(first(RecordModel::Trial), 1.0);
  click(RecordModel::Latency);
  QTRY_VERIFY(shown.rows() > 0 && first(RecordModel::Latency) > 0 &&
              first(RecordModel::Latency) < 1.1);
  click(RecordModel::Latency);
  QTRY_VERIFY(shown.rows() > 0 && first(RecordModel::Latency) > 3);
  click(RecordModel::Outcome);
  click(RecordModel::Outcome);
  QTRY_COMPARE(shown.view.model()->index(0, RecordModel::Outcome).data().toString(),
               QStringLiteral("run error"));
}

void RecordFiltersTest::figuresFollow() {
  Shown shown;
  QTRY_VERIFY(shown.view.figures()->statistics());
  QCOMPARE(shown.view.figures()->statistics()->records, std::int64_t(300));
  QCOMPARE(shown.view.figures()->statistics()->measured, std::int64_t(270));
  QVERIFY(shown.view.statistics()->text().contains(QStringLiteral("run error\t30")));
  QTRY_VERIFY(shown.view.model()->index(0, RecordModel::Latency).data(FractionRole).isValid() ||
              shown.view.model()->index(1, RecordModel::Latency).data(FractionRole).isValid());
  shown.type(QStringLiteral("trial:1..30"));
  QTRY_COMPARE(shown.rows(), 30);
  QTRY_VERIFY(shown.view.figures()->statistics() &&
              shown.view.figures()->statistics()->records == 30);
  // Several selected rows have figures of their own; first they must be there.
  QTRY_VERIFY(shown.view.model()->index(4, 0).data(RecordRole).toLongLong() > 0);
  const auto ofThree = [&] {
    const RecordFigures& figures = *shown.view.figures();
    return figures.isOfChosen() && figures.statistics() && figures.statistics()->records == 3;
  };
  for (const int row : {2, 3, 4})
    shown.view.table()->selectionModel()->select(
        shown.view.model()->index(row, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
  QTRY_VERIFY(ofThree());
  // They stay selected when the list is told again, as it is with every ranking.
  QSignalSpy loaded(shown.view.model(), &RecordModel::loaded);
  Q_EMIT shown.document.follower().recordsAdded();
  QTRY_VERIFY(loaded.count() > 0);
  QVERIFY(ofThree());
}

void RecordFiltersTest::brushingSetsTheLatency() {
  Shown shown;
  QTRY_VERIFY(shown.view.figures()->statistics());
  LatencyHistogram* histogram = shown.view.statistics()->histogram();
  histogram->replot();
  const RecordStatistics figures = *shown.view.figures()->statistics();
  const std::vector<double> edges = LatencyHistogram::edges(figures);
  const auto at = [&](double seconds) {
    return QPoint(qRound(histogram->xAxis->coordToPixel(seconds * 1e3)), histogram->height() / 2);
  };
  const QPoint from = at(std::sqrt(edges[0] * edges[1])), to = at(std::sqrt(edges[19] * edges[20]));
  QTest::mousePress(histogram, Qt::LeftButton, {}, from);
  QTest::mouseMove(histogram, to);
  QTest::mouseRelease(histogram, Qt::LeftButton, {}, to);
  const RecordFilter filter = shown.view.bar()->filter();
  QCOMPARE(filter.conditions.size(), std::size_t(1));
  QCOMPARE(int(filter.conditions[0].field), int(FilterField::Latency));
  QCOMPARE(filter.conditions[0].values[0].low, figures.best);
  QCOMPARE(filter.conditions[0].values[0].high, edges[20]);
  QTRY_VERIFY(shown.rows() > 0 && shown.view.figures()->count());
  QVERIFY(*shown.view.figures()->count() < 270);
  QTest::mouseDClick(histogram, Qt::LeftButton, {}, from);
  QTRY_VERIFY(shown.view.bar()->filter().empty());
}

void RecordFiltersTest::columnsAreChosen() {
  Shown shown;
  QTRY_COMPARE(shown.rows(), 300);
  QVERIFY(shown.view.table()->isColumnHidden(RecordModel::Throughput));
  shown.view.table()->setColumnShown(RecordModel::Throughput, true);
  shown.view.table()->setColumnShown(RecordModel::Notes, false);
  QVERIFY(!shown.view.table()->isColumnHidden(RecordModel::Throughput));
  QVERIFY(shown.view.table()->isColumnHidden(RecordModel::Notes));
  const auto state = shown.view.viewState();
  shown.view.table()->setColumnShown(RecordModel::Throughput, false);
  shown.view.scope()->setOrder(BrowseOrder::Slowest);
  shown.view.restoreViewState(state);
  QVERIFY(!shown.view.table()->isColumnHidden(RecordModel::Throughput));
  QVERIFY(shown.view.table()->isColumnHidden(RecordModel::Notes));
  QCOMPARE(int(shown.view.model()->listing().order), int(BrowseOrder::Newest));
  // What is missing or wrong is as new.
  shown.view.restoreViewState({{"filter", "what:is this"}, {"columns", 3}, {"order", "x"}});
  QVERIFY(shown.view.bar()->filter().empty());
  QVERIFY(!shown.view.table()->isColumnHidden(RecordModel::Notes));
}

void RecordFiltersTest::menuListsOnlySuch() {
  Shown shown;
  QTRY_COMPARE(shown.rows(), 300);
  QMenu* such = nullptr;
  for (const QAction* action : shown.view.table()->actions())
    if (action->text() == QStringLiteral("&Only Such")) such = action->menu();
  QVERIFY(such);
  const auto program = [&](int row) {
    return shown.view.model()->index(row, RecordModel::Program).data().toString();
  };
  shown.view.table()->selectRow(0);
  const QString wanted = program(0);
  Q_EMIT such->aboutToShow();
  QCOMPARE(such->actions().last()->text(), QStringLiteral("With the Same Program"));
  such->actions().last()->trigger();
  QCOMPARE(print(shown.view.bar()->filter()), "program:" + wanted.toStdString());
  QTRY_VERIFY(shown.rows() >= 1);
  QTRY_COMPARE(program(0), wanted);
}

void RecordFiltersTest::tagsAreUndone() {
  Shown shown;
  QTRY_COMPARE(shown.rows(), 300);
  shown.view.table()->selectRow(4);
  shown.view.actions()->tagSelected(QStringLiteral("keep"), true);
  QTRY_COMPARE(shown.view.model()->index(4, RecordModel::Tags).data().toString(),
               QStringLiteral("keep"));
  QVERIFY(!shown.view.table()->isColumnHidden(RecordModel::Tags));
  QTRY_COMPARE(shown.view.tags()->all().size(), std::size_t(1));
  shown.type(QStringLiteral("tag:keep"));
  QTRY_COMPARE(shown.rows(), 1);
  shown.document.undoStack().undo(); // the filter
  QTRY_COMPARE(shown.rows(), 300);
  QCOMPARE(shown.document.undoStack().undoText(), QStringLiteral("tag keep"));
  shown.document.undoStack().undo();
  QTRY_VERIFY(shown.view.tags()->all().empty());
  QTRY_COMPARE(shown.view.model()->index(4, RecordModel::Tags).data().toString(), QString());
}

void RecordFiltersTest::savedFiltersStayInTheDocument() {
  const auto sample = makeSample(300);
  const QString name = QStringLiteral("Failed early");
  {
    Document document;
    RecordView view(document);
    openSample(document, *sample);
    view.saved()->save(name, QStringLiteral("error:any trial<100"));
    view.saved()->save(QStringLiteral("Other"), QStringLiteral("is:best"));
    QCOMPARE(view.saved()->all().size(), std::size_t(2));
    document.undoStack().undo();
    QCOMPARE(view.saved()->all().size(), std::size_t(1));
  }
  Document document;
  RecordView view(document);
  openSample(document, *sample);
  document.selection().select({});
  QTRY_COMPARE(view.saved()->all().size(), std::size_t(1));
  bool found = false;
  for (const PaletteItem& item : view.paletteItems({}))
    if (item.title == name) {
      QCOMPARE(item.kind, QStringLiteral("Filter"));
      item.run();
      found = true;
    }
  QVERIFY(found);
  QTRY_COMPARE(view.model()->rowCount(), 9);
  view.saved()->save(name, {});
  QVERIFY(view.saved()->all().empty());
}

void RecordFiltersTest::listsAreExported() {
  Shown shown;
  shown.type(QStringLiteral("error:any"));
  QTRY_COMPARE(shown.rows(), 30);
  QObject context;
  for (const char* ending : {"csv", "jsonl"}) {
    const QString path =
        shown.sample->folder.filePath(QStringLiteral("out.") + QLatin1String(ending));
    std::optional<QString> problem;
    exportTo(path, shown.view.exports(), shown.sample->path, &context,
             [&](const QString& text) { problem = text; });
    QTRY_VERIFY(problem);
    QCOMPARE(*problem, QString());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    int lines = 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
      if (line.isEmpty() || line.startsWith("# ")) continue;
      ++lines;
      if (QLatin1String(ending) == QLatin1String("jsonl"))
        QCOMPARE(nlohmann::json::parse(line.toStdString()).at("verdict").get<std::string>(),
                 std::string("run error"));
    }
    QCOMPARE(lines, QLatin1String(ending) == QLatin1String("csv") ? 31 : 30);
  }
  const Exports exports = shown.view.exports();
  QVERIFY(exports.clip);
  QCOMPARE(tsvOf(*exports.clip).count(QLatin1Char('\n')), 30);
  QVERIFY(tsvOf(*exports.clip).startsWith(QStringLiteral("Trial\tTask\tLatency, ms")));
}

void RecordFiltersTest::countsAreDroppedWhenTheFilterChanges() {
  const auto sample = makeSample(300);
  Document document;
  RecordFigures figures(document);
  openSample(document, *sample);
  QTRY_COMPARE(figures.count(), std::optional<std::int64_t>(300));
  QSignalSpy changed(&figures, &RecordFigures::countChanged);
  RecordListing listing;
  for (int i = 1; i <= 50; ++i) {
    listing.filter = parseRecordFilter(fmt::format("-program:ffff trial:1..{}", i));
    figures.setListing(listing);
    QVERIFY(!figures.count()); // nothing of the last filter
  }
  QTRY_COMPARE(figures.count(), std::optional<std::int64_t>(50));
  QTest::qWait(50);
  QCOMPARE(figures.count(), std::optional<std::int64_t>(50));
}

void RecordFiltersTest::reopenedWithTheSameFilter() {
  const auto sample = makeSample(300);
  const auto look = [&](const std::function<void(MainWindow&)>& body) {
    SessionScript script;
    MainWindow window(coreCatalogue(), scripted(script));
    window.resize(1200, 800);
    window.show();
    window.openFile(sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    body(window);
    window.close();
    QTRY_VERIFY(!window.isVisible());
  };
  look([](MainWindow& window) {
    window.document().selection().select({});
    window.panels().view<RecordView>()->scope()->setFilter(
        parseRecordFilter("error:any trial<100"));
    window.panels().view<RecordView>()->scope()->setOrder(BrowseOrder::Oldest);
    window.panels().view<RecordView>()->table()->setColumnShown(RecordModel::Measured, true);
    QTRY_COMPARE(window.panels().view<RecordView>()->model()->rowCount(), 9);
  });
  look([](MainWindow& window) {
    RecordView& view = *window.panels().view<RecordView>();
    QTRY_COMPARE(view.model()->rowCount(), 9);
    QCOMPARE(view.bar()->line()->text(), QStringLiteral("error:any trial<100"));
    QCOMPARE(view.bar()->chips().size(), std::size_t(2));
    QVERIFY(view.table()->isColumnChosen(RecordModel::Measured));
    QCOMPARE(view.model()->index(0, RecordModel::Trial).data().toString(), QStringLiteral("10"));
  });
}

NW_TEST_GUI(RecordFiltersTest)

} // namespace nestwright::record_filters_test

#include "record_filters.moc"
