/// Pauses, re-weights and failures stand where they happened (C41).

#include "core/session/run/course_marks.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::course_marks_test {

using namespace nestwright::made_up;

/// How many trials were told before each pause and each change of a task, as the observer heard it.
struct Heard {
  std::int64_t trials = 0;
  double lastWall = 0;
  struct Mark {
    CourseMark::Kind kind;
    std::int64_t trials;
    double notBefore;
    RowId task;
  };
  std::vector<Mark> marks;

  void operator()(const Event& event) {
    using Kind = CourseMark::Kind;
    if (const auto* measured = std::get_if<Measured>(&event)) {
      ++trials;
      lastWall = measured->wallSeconds;
    } else if (const auto* state = std::get_if<StateChanged>(&event)) {
      if (state->status == SessionStatus::Paused)
        marks.push_back({Kind::Pause, trials, lastWall, 0});
      if (state->status == SessionStatus::Failed)
        marks.push_back({Kind::Failure, trials, lastWall, 0});
    } else if (const auto* weight = std::get_if<ImportanceChanged>(&event)) {
      marks.push_back({Kind::Weight, trials, lastWall, weight->task});
    } else if (const auto* mode = std::get_if<TaskModeChanged>(&event)) {
      marks.push_back({Kind::Weight, trials, lastWall, mode->task});
    }
  }
};

/// A session of so many trials in rounds of eight.
RowId makeShortSession(const QString& path, int trials) {
  SessionConfig config;
  config.trials = trials;
  config.trialsPerRound = 8;
  return makeSession(path, config);
}

std::vector<CourseMark> marksOf(const QString& path, RowId session) {
  return courseMarks(RecordStore::open(path.toStdString(), OpenMode::ReadOnly), session);
}

class CourseMarksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void marksStandWhereItHappened() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.nwdb");
    const RowId id = makeShortSession(path, 96);
    Heard heard;
    int rounds = 0;
    {
      std::atomic<Session*> self{nullptr};
      Session session(
          path.toStdString(), id,
          [&](const Event& event) {
            heard(event);
            if (!std::holds_alternative<RoundFinished>(event)) return;
            ++rounds;
            if (rounds == 2) self.load()->post(SetImportance{2, 4});
            if (rounds == 4) self.load()->post(SetTaskMode{3, TaskMode::Paused});
            if (rounds == 5) self.load()->post(Pause{});
            if (rounds == 7) self.load()->post(SetTaskMode{3, TaskMode::Free});
          },
          measureAll);
      self = &session;
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Paused);
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    const std::vector<CourseMark> marks = marksOf(path, id);
    QCOMPARE(marks.size(), heard.marks.size());
    QCOMPARE(marks.size(), std::size_t(4));
    for (std::size_t i = 0; i < marks.size(); ++i) {
      QCOMPARE(marks[i].kind, heard.marks[i].kind);
      QCOMPARE(marks[i].trials, heard.marks[i].trials);
      QCOMPARE(marks[i].task, heard.marks[i].task);
      QVERIFY(marks[i].wallSeconds >= heard.marks[i].notBefore);
    }
    QCOMPARE(marks[0].text, std::string("importance 4"));
    QCOMPARE(marks[1].text, std::string(name(TaskMode::Paused)));
    QCOMPARE(marks[2].kind, CourseMark::Kind::Pause);
    QVERIFY(marks[0].trials < marks[1].trials && marks[1].trials < marks[2].trials &&
            marks[2].trials < marks[3].trials && marks[3].trials < 96);
  }

  /// A session that fails says where, and why.
  void failuresAreMarked() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.nwdb");
    const RowId id = makeShortSession(path, 64);
    int calls = 0;
    Session session(
        path.toStdString(), id, [](const Event&) {},
        [&](const auto& requests, const auto& onResult, const auto* stop) {
          if (++calls > 6) throw SystemError("no worker can be started");
          measureAll(requests, onResult, stop);
        });
    session.post(Start{});
    const SessionStatus status = session.wait();
    const std::vector<CourseMark> marks = marksOf(path, id);
    QCOMPARE(marks.size(), std::size_t(1));
    QCOMPARE(marks[0].kind,
             status == SessionStatus::Failed ? CourseMark::Kind::Failure : CourseMark::Kind::Pause);
    QVERIFY2(marks[0].text.find("no worker can be started") != std::string::npos,
             marks[0].text.c_str());
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(marks[0].trials, store.sessions().summary(id).trials);
  }

  /// What was told while no session ran has no place to mark.
  void eventsWithoutAPlaceHaveNone() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.nwdb");
    const RowId id = makeSession(path, {});
    {
      RecordStore store = RecordStore::open(path.toStdString());
      EventRow row;
      row.session = id;
      row.kind = "importance";
      row.json = R"({"task": 1, "importance": 2})";
      store.events().add(row);
      row.trials = 3;
      row.wallSeconds = 1.5;
      store.events().add(row);
    }
    const std::vector<CourseMark> marks = marksOf(path, id);
    QCOMPARE(marks.size(), std::size_t(1));
    QCOMPARE(marks[0].trials, std::int64_t(3));
    QCOMPARE(marks[0].wallSeconds, 1.5);
  }
};

NW_TEST_GUILESS(CourseMarksTest)

} // namespace nestwright::course_marks_test

#include "course_marks.moc"
