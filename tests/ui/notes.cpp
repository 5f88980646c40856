#include "tests/ui/fixture.h"
#include "ui/note_book.h"
#include "ui/note_model.h"
#include "ui/notes_view.h"
#include "ui/task_model.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace nestwright;
using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class NotesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void writingIsKept();
  void changesAreUndone();
  void theListLeadsBack();
  void tasksShowTheirNotes();
};

namespace {

struct ShownNotes {
  std::unique_ptr<Sample> sample = makeSample(30);
  Document document;
  NotesView view{document};
  QAbstractItemModelTester tester{view.list()->model()};

  ShownNotes() {
    view.resize(500, 300);
    view.show();
    openSample(document, *sample);
    document.selectTask(sample->tasks[1]);
  }
  Notes stored() const { return readNotes(sample->path.toStdString()); }
  NoteKey task(int i) const { return {NoteAbout::Task, sample->tasks[std::size_t(i)]}; }
};

} // namespace

void NotesTest::writingIsKept() {
  ShownNotes shown;
  QTest::keyClicks(shown.view.text(), QStringLiteral("tiles fit"));
  QTRY_COMPARE(shown.stored()[shown.task(1)].text, std::string("tiles fit"));
  QTest::keyClicks(shown.view.text(), QStringLiteral(" L1"));
  // Going elsewhere keeps what was typed just now, for what was selected then.
  shown.document.selectTask(shown.sample->tasks[2]);
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
  shown.document.select({task, record});
  shown.view.about()->setCurrentIndex(int(NoteAbout::Record));
  QTest::keyClicks(shown.view.text(), QStringLiteral("look again"));
  shown.document.selectTask(shown.sample->tasks[0]);
  auto* model = qobject_cast<NoteModel*>(shown.view.list()->model());
  QTRY_COMPARE(model->rowCount(), 1);
  shown.view.about()->setCurrentIndex(int(NoteAbout::Task));
  const QModelIndex cell = model->index(0, NoteModel::About);
  QTest::mouseClick(shown.view.list()->viewport(), Qt::LeftButton, {},
                    shown.view.list()->visualRect(cell).center());
  QCOMPARE(shown.document.selection(), (Selection{task, record}));
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

QTEST_MAIN(NotesTest)
#include "notes.moc"
