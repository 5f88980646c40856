/// What belonged to a document ends with it: files are let go of, and answers, waiting selections
/// and zooms do not reach the next one.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/compare/compare_view.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/curves/curve_overlays.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/notices.h"
#include "ui/document/reading/reader.h"
#include "ui/document/shared_selection.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_view.h"
#include "ui/records/pages/record_groups_page.h"
#include "ui/roofline/roofline_view.h"
#include "ui/window/record_finder.h"

#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <functional>
#include <future>
#include <utility>

namespace nestwright::next_document_starts_afresh_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

using MakeView = std::function<std::unique_ptr<QWidget>(Document&)>;

} // namespace nestwright::next_document_starts_afresh_test

Q_DECLARE_METATYPE(nestwright::next_document_starts_afresh_test::MakeView)

namespace nestwright::next_document_starts_afresh_test {

const QString kOpenFiles = QStringLiteral("/proc/self/fd");

/// How often this process has the file open.
int timesOpen(const QString& path) {
  int times = 0;
  for (const QString& descriptor : QDir(kOpenFiles).entryList(QDir::System | QDir::Files))
    times += QFileInfo(kOpenFiles + QLatin1Char('/') + descriptor).symLinkTarget() == path;
  return times;
}

/// Whether nobody has the file open, and no work that was under way when it was let go of opens it
/// once more: a count of none alone may fall between two of its steps.
bool staysClosed(const QString& path) {
  constexpr int kLooks = 10, kBetween = 10; // ms
  for (int look = 0; look < kLooks; ++look, QTest::qWait(kBetween))
    if (timesOpen(path) != 0) return false;
  return true;
}

/// One more session in the file, with a record of its own.
std::pair<RowId, RowId> addSession(const Sample& sample) {
  RecordStore store = RecordStore::open(sample.path.toStdString());
  SessionRow row = *store.sessions().one(sample.session);
  row.id = 0;
  const RowId session = store.sessions().add(row);
  store.sessions().setTasks(session, sample.tasks);
  Record record = *store.records().one(sample.records.front());
  record.session = session;
  return {session, store.records().add(record)};
}

/// Opens the file and shows this session of it.
void openSession(Document& document, const Sample& sample, RowId session) {
  openSample(document, sample);
  document.showSession(session);
  QTRY_VERIFY(document.state() == DocumentState::Ready && document.session().row().id == session);
}

class NextDocumentTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void filesAreLetGoOf_data();
  void filesAreLetGoOf();
  void sessionsNoLongerComparedStayAway();
  void zoomsEnd();
  void recordsWaitForTheirFileAlone_data();
  void recordsWaitForTheirFileAlone();
};

void NextDocumentTest::filesAreLetGoOf_data() {
  QTest::addColumn<MakeView>("make");
  QTest::addColumn<int>("connections");
  const auto add = [](const char* name, int connections, MakeView make) {
    QTest::newRow(name) << std::move(make) << connections;
  };
  add("program", 1, [](Document& document) { return std::make_unique<ProgramView>(document); });
  add("two programs", 1,
      [](Document& document) { return std::make_unique<ProgramCompareView>(document); });
  add("roofline", 1, [](Document& document) { return std::make_unique<RooflineView>(document); });
  add("cost model", 1,
      [](Document& document) { return std::make_unique<CostModelView>(document); });
  add("two sessions", 2,
      [](Document& document) { return std::make_unique<CompareView>(document); });
  add("groups of records", 2,
      [](Document& document) { return std::make_unique<RecordGroupsPage>(document); });
}

/// Another one of the same name may lie there when it is opened again.
void NextDocumentTest::filesAreLetGoOf() {
  if (!QFileInfo::exists(kOpenFiles)) QSKIP("This system does not tell which files are open.");
  QFETCH(MakeView, make);
  QFETCH(int, connections);
  const auto sample = makeSample(60);
  const RowId second = addSession(*sample).first;
  const QString path = QFileInfo(sample->path).canonicalFilePath();
  Document document;
  const std::unique_ptr<QWidget> view = make(document);
  view->resize(900, 600);
  view->show();
  openSession(document, *sample, second);
  document.selection().select({sample->tasks[1], sample->records[0]});
  document.selection().compare({{path, sample->tasks[1], sample->records[0], false, {}},
                                {path, sample->tasks[1], sample->records[3], false, {}}});
  QTRY_VERIFY(timesOpen(path) > connections); // one is the document's own
  document.close();
  QTRY_COMPARE(document.state(), DocumentState::Empty);
  QTRY_VERIFY(staysClosed(path));
}

/// Unticked before its curves were read.
void NextDocumentTest::sessionsNoLongerComparedStayAway() {
  const auto sample = makeSample(30);
  addSession(*sample);
  Document document;
  CurveView view(document);
  openSession(document, *sample, sample->session);
  std::promise<void> goOn;
  bool waited = false;
  document.reader().ask<int>(
      &view, Reader::Channel::Log,
      [wait = goOn.get_future().share()](const RecordStore&) {
        wait.wait();
        return 0;
      },
      [&](int) { waited = true; });
  auto* compare = view.findChild<QToolButton*>(QStringLiteral("compare"));
  for (int click = 0; click < 2; ++click) {
    Q_EMIT compare->menu()->aboutToShow();
    compare->menu()->actions().front()->trigger();
  }
  goOn.set_value();
  QTRY_VERIFY(waited && !document.reader().busy(Reader::Channel::Compare));
  QVERIFY(view.plot()->overlays().sessions().empty());
}

/// "Show All" is offered only while there is more.
void NextDocumentTest::zoomsEnd() {
  const auto first = makeSample(30), second = makeSample(30);
  Document document;
  CurveView view(document);
  view.resize(800, 500);
  view.show();
  openSample(document, *first);
  QToolButton* all = nullptr;
  for (QToolButton* button : view.findChildren<QToolButton*>())
    if (button->text() == QStringLiteral("Show All")) all = button;
  QVERIFY(all);
  const QPointF middle = view.plot()->rect().center();
  QWheelEvent wheel(middle, view.plot()->mapToGlobal(middle), {}, QPoint(0, 120), Qt::NoButton, {},
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(view.plot(), &wheel);
  QVERIFY(view.plot()->isZoomed() && all->isEnabled());
  openSample(document, *second);
  QVERIFY(!view.plot()->isZoomed());
  QVERIFY(!all->isEnabled());
}

void NextDocumentTest::recordsWaitForTheirFileAlone_data() {
  QTest::addColumn<bool>("found");
  QTest::newRow("while it is looked for") << false;
  QTest::newRow("while its session is read") << true;
}

/// A record of another session, and then another document instead.
void NextDocumentTest::recordsWaitForTheirFileAlone() {
  QFETCH(bool, found);
  const auto first = makeSample(10), second = makeSample(20);
  const RowId record = addSession(*first).second;
  Document document;
  RecordFinder finder(document);
  QSignalSpy warned(&document.notices(), &Notices::warned);
  openSession(document, *first, first->session);
  bool gone = false;
  const auto go = [&] {
    if (!std::exchange(gone, true)) document.open(second->path);
  };
  if (found) // its session is shown first
    connect(&document, &Document::stateChanged, &finder, go, Qt::QueuedConnection);
  finder.open(record);
  if (!found) go();
  QTRY_VERIFY(gone && document.state() == DocumentState::Ready);
  QTest::qWait(100);
  QCOMPARE(QFileInfo(document.file().path()), QFileInfo(second->path));
  QVERIFY(document.selection().current().record != record);
  QCOMPARE(warned.count(), 0);
}

NW_TEST_GUI(NextDocumentTest)

} // namespace nestwright::next_document_starts_afresh_test

#include "next_document_starts_afresh.moc"
