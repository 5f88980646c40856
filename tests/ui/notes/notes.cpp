#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/curves/curve_plot.h"
#include "ui/document/note_book.h"
#include "ui/document/notices.h"
#include "ui/document/shared_selection.h"
#include "ui/notes/note_model.h"
#include "ui/notes/notes_view.h"
#include "ui/records/record_model.h"
#include "ui/records/scatter_plot.h"
#include "ui/roofline/roofline_plot.h"
#include "ui/tasks/task_model.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include <algorithm>

namespace nestwright::notes_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class NotesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void writingIsKept();
  void changesAreUndone();
  void theListLeadsBack();
  void tasksShowTheirNotes();
  void curvesCarryMarks();
  void recordTableCarriesMarks();
  void scatterAndRooflineCarryMarks();
  void failuresAreToldWithoutAView();
};

struct ShownNotes {
  std::unique_ptr<Sample> sample = makeSample(30);
  Document document;
  NotesView view{document};
  QAbstractItemModelTester tester{view.list()->model()};

  ShownNotes() {
    view.resize(500, 300);
    view.show();
    openSample(document, *sample);
    document.selection().selectTask(sample->tasks[1]);
  }
  Notes stored() const { return readNotes(sample->path.toStdString()); }
  NoteKey task(int i) const { return {NoteAbout::Task, sample->tasks[std::size_t(i)]}; }
};

void NotesTest::writingIsKept() {
  ShownNotes shown;
  QTest::keyClicks(shown.view.text(), QStringLiteral("tiles fit"));
  QTRY_COMPARE(shown.stored()[shown.task(1)].text, std::string("tiles fit"));
  QTest::keyClicks(shown.view.text(), QStringLiteral(" L1"));
  // Going elsewhere keeps what was typed just now, for what was selected then.
  shown.document.selection().selectTask(shown.sample->tasks[2]);
  QVERIFY(shown.view.text()->toPlainText().isEmpty());
  QTRY_COMPARE(shown.stored()[shown.task(1)].text, std::string("tiles fit L1"));
  QVERIFY(!shown.stored().contains(shown.task(2)));
  shown.view.about()->setCurrentIndex(int(NoteAbout::Session));
  shown.view.star()->click();
  const NoteKey session{NoteAbout::Session, shown.sample->session};
  QTRY_VERIFY(shown.stored()[session].star);
  // Another window finds them.
  Document other;
  openSample(other, *shown.sample);
  QTRY_COMPARE(other.notes().all().size(), std::size_t(2));
  QCOMPARE(other.notes().note(shown.task(1)).text, std::string("tiles fit L1"));
}

void NotesTest::changesAreUndone() {
  ShownNotes shown;
  shown.view.star()->click();
  QTRY_VERIFY(shown.stored()[shown.task(1)].star);
  QVERIFY(shown.document.undoStack().canUndo());
  shown.document.undoStack().undo();
  QVERIFY(!shown.view.star()->isChecked());
  QTRY_VERIFY(shown.stored().empty());
  shown.document.undoStack().redo();
  QVERIFY(shown.view.star()->isChecked());
  QTRY_VERIFY(!shown.stored().empty());
  // Looking at something changes nothing.
  const int changes = shown.document.undoStack().count();
  for (const NoteAbout about : {NoteAbout::Session, NoteAbout::Record, NoteAbout::Task})
    shown.view.about()->setCurrentIndex(int(about));
  QCOMPARE(shown.document.undoStack().count(), changes);
}

void NotesTest::theListLeadsBack() {
  ShownNotes shown;
  const RowId record = shown.sample->records[4];
  const RowId task = shown.sample->tasks[1];
  shown.document.selection().select({task, record});
  shown.view.about()->setCurrentIndex(int(NoteAbout::Record));
  QTest::keyClicks(shown.view.text(), QStringLiteral("look again"));
  shown.document.selection().selectTask(shown.sample->tasks[0]);
  auto* model = qobject_cast<NoteModel*>(shown.view.list()->model());
  QTRY_COMPARE(model->rowCount(), 1);
  shown.view.about()->setCurrentIndex(int(NoteAbout::Task));
  const QModelIndex cell = model->index(0, NoteModel::About);
  QTest::mouseClick(shown.view.list()->viewport(), Qt::LeftButton, {},
                    shown.view.list()->visualRect(cell).center());
  QCOMPARE(shown.document.selection().current(), (Selection{task, record}));
  QCOMPARE(shown.view.text()->toPlainText(), QStringLiteral("look again"));
}

void NotesTest::tasksShowTheirNotes() {
  ShownNotes shown;
  TaskModel tasks(shown.document);
  const QString before = tasks.index(1, TaskModel::Name).data().toString();
  shown.document.notes().set(shown.task(1), {"needs packing", true, 0});
  QCOMPARE(tasks.index(1, TaskModel::Name).data().toString(), QStringLiteral("★ ") + before);
  QVERIFY(tasks.index(1, TaskModel::Name)
              .data(Qt::ToolTipRole)
              .toString()
              .endsWith(QStringLiteral("needs packing")));
}

void NotesTest::curvesCarryMarks() {
  ShownNotes shown;
  Document& document = shown.document;
  CurvePlot plot(document);
  plot.resize(600, 400);
  plot.show();
  const TaskHistory& task = document.session().history().tasks()[1];
  const auto trial = std::ranges::find(task.trials, Verdict::Ok, &TrialPoint::verdict);
  const auto failed =
      std::ranges::find_if(task.trials, [](const auto& t) { return t.verdict != Verdict::Ok; });
  QVERIFY(trial != task.trials.end());
  QCOMPARE(plot.marks().notes().stars(), 0);
  document.notes().set({NoteAbout::Record, trial->record}, {"odd", true, task.task});
  document.notes().set({NoteAbout::Task, task.task}, {"packing?", false, 0});
  if (failed != task.trials.end())
    document.notes().set({NoteAbout::Record, failed->record}, {"why", false, task.task});
  QTRY_COMPARE(plot.marks().notes().stars(), 1);
  const int ofRecords = failed != task.trials.end() ? 1 : 0;
  QTRY_COMPARE(plot.marks().notes().leaves(), ofRecords); // of a later note
  const auto place = plot.marks().placeOf(task.task, trial->record, plot.options());
  QCOMPARE(place, std::optional(QPointF(double(trial->trial), double(trial->seconds) * 1e3)));
  // A ring is around the selected record.
  QVERIFY(!plot.marks().isRinged());
  document.selection().select({task.task, trial->record});
  QVERIFY(plot.marks().isRinged());
  // Of all tasks, each has its mark where its line ends.
  document.selection().select({});
  QCOMPARE(plot.marks().notes().leaves(), ofRecords + 1);
  // Marks of tasks that are not in sight are not either.
  document.selection().selectTask(shown.sample->tasks[0]);
  QCOMPARE(plot.marks().notes().stars() + plot.marks().notes().leaves(), 0);
  QVERIFY(!plot.marks().isRinged());
}

void NotesTest::recordTableCarriesMarks() {
  ShownNotes shown;
  Document& document = shown.document;
  RecordModel model(document);
  QAbstractItemModelTester tester(&model);
  model.reload();
  const RowId record = shown.sample->records[3];
  QTRY_VERIFY(model.rowOf(record) >= 0);
  const auto cell = [&](int column) { return model.index(model.rowOf(record), column); };
  QTRY_VERIFY(cell(RecordModel::Notes).data(TaskRole).isValid());
  QVERIFY(!cell(RecordModel::Trial).data(Qt::DecorationRole).isValid());
  QSignalSpy told(&model, &QAbstractItemModel::dataChanged);
  document.notes().set({NoteAbout::Record, record}, {"look again", true, 0});
  QVERIFY(told.count() > 0);
  QVERIFY(cell(RecordModel::Trial).data(Qt::DecorationRole).canConvert<QIcon>());
  QVERIFY(cell(RecordModel::Notes).data().toString().startsWith(QStringLiteral("★ look again")));
  QCOMPARE(cell(RecordModel::Trial).data(Qt::ToolTipRole).toString(),
           QStringLiteral("★ look again"));
}

void NotesTest::scatterAndRooflineCarryMarks() {
  Notes notes;
  notes[{NoteAbout::Record, 1}] = {"", true, 0};
  notes[{NoteAbout::Record, 2}] = {"slow", false, 0};
  notes[{NoteAbout::Record, 9}] = {"of another task", true, 0};
  notes[{NoteAbout::Task, 3}] = {"no record", true, 0};
  ScatterPlot scatter;
  RecordSample sample;
  sample.tasks[1] = "matmul", sample.sessions[1] = "s";
  for (RowId record = 1; record <= 3; ++record) {
    RecordPoint point;
    point.record = record, point.task = point.session = 1, point.trial = record;
    point.seconds = 1e-3 * double(record);
    sample.points.push_back(point);
  }
  scatter.show(sample);
  scatter.setNotes(notes);
  QCOMPARE(scatter.marks().stars(), 1);
  QCOMPARE(scatter.marks().leaves(), 1);
  RooflinePlot roofline;
  Roofline roof;
  roof.task = 1, roof.flops = 1e9;
  for (RowId record = 1; record <= 3; ++record)
    roof.points.push_back({record, record, 1e-3 * double(record), {1e6, 1e6, 1e6}, false});
  roofline.show(roof, Traffic::Memory, 0, 0);
  roofline.setNotes(notes);
  QCOMPARE(roofline.marks().stars(), 1);
  QCOMPARE(roofline.marks().leaves(), 1);
  // The legend says what the signs are, and only while there are any.
  const auto entries = [&roofline] { // its grid may have empty places
    int count = 0;
    for (int i = 0; i < roofline.legend->itemCount(); ++i)
      count += roofline.legend->item(i) != nullptr ? 1 : 0;
    return count;
  };
  const int before = entries();
  roofline.setNotes({});
  QCOMPARE(roofline.marks().stars() + roofline.marks().leaves(), 0);
  QCOMPARE(entries(), before - 2);
}

void NotesTest::failuresAreToldWithoutAView() {
  const auto sample = makeSample(10);
  Document document;
  openSample(document, *sample);
  QSignalSpy warned(&document.notices(), &Notices::warned);
  QVERIFY(QFile::rename(sample->path, sample->folder.filePath(QStringLiteral("moved.nwdb"))));
  document.notes().set({NoteAbout::Task, sample->tasks[1]}, {"fits", false, 0});
  QTRY_VERIFY(warned.count() > 0);
}

NW_TEST_GUI(NotesTest)

} // namespace nestwright::notes_test

#include "notes.moc"
