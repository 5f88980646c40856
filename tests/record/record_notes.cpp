#include "core/record/file/document_file.h"
#include "core/record/store/notes.h"
#include "core/record/store/store.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::record_notes_test {

class RecordNotes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void notesStayInTheFile() {
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("a.nwdb")).toStdString();
    RecordStore::open(path, OpenMode::Create);
    QVERIFY(readNotes(path).empty());
    const NoteKey session{NoteAbout::Session, 1}, task{NoteAbout::Task, 1},
        record{NoteAbout::Record, 12};
    keepNote(path, session, {"before the new rules", false});
    keepNote(path, task, {"", true});
    keepNote(path, record, {"why is \"this\" fast?\nlook at the tiles", true, 1});
    const Notes expected{{session, {"before the new rules", false}},
                         {task, {"", true}},
                         {record, {"why is \"this\" fast?\nlook at the tiles", true, 1}}};
    QVERIFY(readNotes(path) == expected);
    keepNote(path, record, {"the tile fits L1", false});
    keepNote(path, task, {});
    QVERIFY(readNotes(path) ==
            (Notes{{session, expected.at(session)}, {record, {"the tile fits L1", false}}}));
  }

  void whatIsNotUnderstoodIsLeftOut() {
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("a.nwdb")).toStdString();
    RecordStore::open(path, OpenMode::Create);
    keep(path, "note/planet/3", R"({"text": "far"})");
    keep(path, "note/task/x", R"({"text": "far"})");
    keep(path, "note/task/4", "no json");
    keep(path, "note/task/5", R"({"text": 5, "star": true})");
    keep(path, "notes", R"({"text": "of something else"})");
    QVERIFY(readNotes(path) == (Notes{{{NoteAbout::Task, 5}, {"", true}}}));
  }
};

NW_TEST_APPLESS(RecordNotes)

} // namespace nestwright::record_notes_test

#include "record_notes.moc"
