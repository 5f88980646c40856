/// What the panels show of records in a replay: neither those that were forgotten since are missing
/// nor those that were measured later there.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/story/plan.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/form_fields.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/replaying.h"
#include "ui/document/document.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/program/comparison_head.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/records/record_details.h"
#include "ui/records/record_model.h"

#include <QLabel>
#include <QTest>

#include <algorithm>
#include <set>
#include <string_view>

namespace nestwright::replayed_views_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The position after the n-th event of this kind, from 1.
std::size_t after(const Document& document, const char* wanted, int n) {
  const Timeline& timeline = document.replayMode().replay()->timeline()->events();
  for (std::size_t i = 0; i < timeline.size(); ++i)
    if (std::string_view(kind(timeline.event(i))) == wanted && --n == 0) return i + 1;
  return 0;
}

/// The position at which the record has just been measured.
std::size_t whenMeasured(const Document& document, RowId record) {
  const Timeline& timeline = document.replayMode().replay()->timeline()->events();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Event event = timeline.event(i);
    if (const auto* measured = std::get_if<Measured>(&event);
        measured && measured->record == record)
      return i + 1;
  }
  return 0;
}

std::set<RowId> listed(const RecordModel& model) {
  std::set<RowId> records;
  for (int row = 0; row < model.rowCount(); ++row)
    records.insert(model.recordAt(row));
  return records;
}

QString notesOf(const RecordModel& model, RowId record) {
  return model.index(model.rowOf(record), RecordModel::Notes).data().toString();
}

class ReplayedViewsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void forgottenRecordsAreThereUntilThen();
  void anotherSessionForgetsToo();
  void programsComeWhenTheyAreMeasured();
  void theBestIsThatOfThen();
  void whatIsLaterIsNotActedOn();
  void naiveIsMeasuredFirst();
  void anEarlierSessionMayHaveGoneOn();

 private:
  /// A session of 32 trials that forgot two records, took one of that back, and went on to 48.
  struct Forgotten {
    QString path;
    RowId best = 0, other = 0;  // forgotten; only for a while
    std::vector<RowId> atFirst; // all records of the 32
  };
  Forgotten forgetSome(const QString& name);

  QTemporaryDir folder_;
};

void ReplayedViewsTest::initTestCase() {
  keepSettingsIn(folder_);
}

ReplayedViewsTest::Forgotten ReplayedViewsTest::forgetSome(const QString& name) {
  Forgotten made;
  made.path = folder_.filePath(name);
  Document document(madeUpSessions());
  SessionConfig config = madeUpConfig("random");
  config.trials = 32;
  const auto run = [&] {
    document.create(made.path, config, true);
    QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 120'000);
    QTRY_VERIFY(!document.session().historyLoading());
    for (const TaskHistory& task : document.session().history().tasks())
      for (const TrialPoint& trial : task.trials)
        made.atFirst.push_back(trial.record);
    made.best = document.session().tasks()[0].summary.bestRecord;
    made.other = document.session()
                     .history()
                     .find(document.session().tasks()[1].row.id)
                     ->trials.front()
                     .record;
    int told = 0;
    connect(&document.follower(), &SessionFollower::recordsReread, this, [&] { ++told; });
    document.steering().steer(Forget{{made.best, made.other}});
    QTRY_COMPARE(told, 1);
    document.steering().steer(Forget{{made.other}, false});
    QTRY_COMPARE(told, 2);
    Plan plan = planOf(document.session().config());
    plan.trials = 48;
    document.steering().setPlan(plan);
    QTRY_VERIFY(document.steering().canStart());
    document.steering().start();
    QTRY_COMPARE_WITH_TIMEOUT(document.session().progress().trials, std::int64_t(48), 120'000);
    QTRY_COMPARE(document.session().status(), SessionStatus::Finished);
    document.follower().disconnect(this);
  };
  run();
  return made;
}

void ReplayedViewsTest::forgottenRecordsAreThereUntilThen() {
  const Forgotten made = forgetSome(QStringLiteral("own.nwdb"));
  QCOMPARE(made.atFirst.size(), std::size_t(32));
  const std::set<RowId> atFirst(made.atFirst.begin(), made.atFirst.end());
  Document document(madeUpSessions());
  RecordModel all(document), forgotten(document), bests(document);
  document.open(made.path);
  const auto list = [&](RecordModel& model, const char* filter) {
    RecordListing listing = model.listing();
    listing.filter = parseRecordFilter(filter);
    model.setListing(listing);
  };
  list(forgotten, "is:forgotten");
  list(bests, "is:best");
  QTRY_COMPARE(all.rowCount(), 47);
  QTRY_COMPARE(listed(forgotten), std::set<RowId>{made.best}); // each list is read on its own
  QVERIFY(all.rowOf(made.best) < 0);

  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().canStart(), 30'000);
  replayFrom(document);
  QTRY_COMPARE(all.rowCount(), 0);
  seekTo(document, after(document, "forgotten", 1) - 1);
  QTRY_COMPARE(listed(all), atFirst);
  QTRY_COMPARE(notesOf(all, made.best).contains(QStringLiteral("best")), true);
  QVERIFY(!notesOf(all, made.best).contains(QStringLiteral("forgotten")));
  QTRY_VERIFY(listed(bests).contains(made.best));
  QTRY_COMPARE(forgotten.rowCount(), 0);
  // One event on, both are gone, and another one is the best.
  document.replayMode().replay()->stepForward();
  QTRY_COMPARE(listed(forgotten), (std::set<RowId>{made.best, made.other}));
  QTRY_COMPARE(all.rowCount(), 30);
  QVERIFY(all.rowOf(made.best) < 0 && all.rowOf(made.other) < 0);
  QTRY_VERIFY(!listed(bests).contains(made.best));
  QTRY_VERIFY(notesOf(forgotten, made.other).contains(QStringLiteral("forgotten")));
  // And one of them comes back.
  seekTo(document, after(document, "forgotten", 2));
  QTRY_COMPARE(listed(forgotten), std::set<RowId>{made.best});
  QTRY_COMPARE(all.rowCount(), 31);
  // What was measured meanwhile is counted, too.
  seekTo(document, document.replayMode().replay()->size());
  QTRY_COMPARE(all.rowCount(), 47);
  seekTo(document, whenMeasured(document, made.best));
  QTRY_VERIFY(all.rowOf(made.best) >= 0);
  document.replayMode().end();
  QTRY_COMPARE(all.rowCount(), 47);
  QTRY_COMPARE(listed(forgotten), std::set<RowId>{made.best});
}

/// A later session of the file forgets a record of this one: its past does not.
void ReplayedViewsTest::anotherSessionForgetsToo() {
  const QString path = folder_.filePath(QStringLiteral("two.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  RowId first = 0, best = 0;
  {
    Document document(madeUpSessions());
    SessionConfig config = madeUpConfig("random");
    config.seed = 4;
    document.create(path, config, true);
    QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 120'000);
    first = document.session().contents().sessions.front().id;
    const std::vector<CurvePoint> points =
        RecordStore::open(path.toStdString(), OpenMode::ReadOnly).trials().curve(first);
    for (const CurvePoint& point : points)
      if (point.verifiedBest && point.task == document.session().tasks()[0].row.id)
        best = point.record;
    QVERIFY(best != 0);
    int told = 0;
    connect(&document.follower(), &SessionFollower::recordsReread, this, [&] { ++told; });
    document.steering().steer(Forget{{best}});
    QTRY_COMPARE(told, 1);
    document.follower().disconnect(this);
  }
  Document document(madeUpSessions());
  RecordModel model(document);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  document.showSession(first);
  QTRY_COMPARE(document.session().row().id, first);
  QTRY_COMPARE(model.rowCount(), 63);
  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().canStart(), 30'000);
  replayFrom(document);
  seekTo(document, document.replayMode().replay()->size());
  QTRY_COMPARE(model.rowCount(), 64);
  QVERIFY(model.rowOf(best) >= 0);
  QCOMPARE(document.session().history().trialCount(), std::size_t(64));
  QCOMPARE(document.session().tasks()[0].summary.bestRecord, best);
  document.replayMode().end();
  QTRY_COMPARE(model.rowCount(), 63);
}

void ReplayedViewsTest::programsComeWhenTheyAreMeasured() {
  const QString path = folder_.filePath(QStringLiteral("programs.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  Document document(madeUpSessions());
  ProgramView program(document);
  RecordDetails details(document);
  ProgramCompareView compare(document);
  for (QWidget* view : std::initializer_list<QWidget*>{&program, &details, &compare})
    view->show();
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  const TaskHistory& task = document.session().history().tasks()[0];
  const RowId id = task.task;
  const RowId early = task.trials.front().record, late = task.trials.back().record;
  document.selection().select({id, late});
  document.selection().compare({{path, id, early, false, {}}, {path, id, late, false, {}}});
  QTRY_COMPARE(program.program().record, late);
  QTRY_VERIFY(compare.isComplete());
  QTRY_VERIFY(details.text().contains(QStringLiteral("median")) ||
              details.text().contains(QStringLiteral("build")));

  const QString notYet = QStringLiteral("Record %1 is not measured yet").arg(late);
  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().canStart(), 30'000);
  replayFrom(document);
  seekTo(document, whenMeasured(document, late) - 1);
  QTRY_COMPARE(program.program().record, RowId(0));
  QTRY_VERIFY(says(program, notYet));
  QTRY_VERIFY(!compare.isComplete());
  QTRY_VERIFY(says(compare, notYet));
  QTRY_COMPARE(compare.head(Side::A)->alias(), QStringLiteral("record %1").arg(early));
  QCOMPARE(compare.head(Side::B)->alias(), QStringLiteral("record %1").arg(late));
  QTRY_VERIFY(says(details, notYet));
  QVERIFY(details.text().contains(QStringLiteral("Go on")));
  // It comes back in the moment in which it is measured.
  document.replayMode().replay()->stepForward();
  QTRY_COMPARE(program.program().record, late);
  QTRY_VERIFY(compare.isComplete());
  QTRY_VERIFY(!says(details, notYet) && details.text().contains(QStringLiteral("build")));
  // And goes when the slider is drawn back; one that was there stays.
  seekTo(document, whenMeasured(document, early));
  QTRY_VERIFY(says(program, notYet) && says(compare, notYet) && says(details, notYet));
  document.selection().select({id, early});
  QTRY_COMPARE(program.program().record, early);
  document.selection().select({id, late});
  QTRY_VERIFY(says(program, notYet));
  document.replayMode().end();
  QTRY_COMPARE(program.program().record, late);
  QTRY_VERIFY(compare.isComplete());
}

void ReplayedViewsTest::theBestIsThatOfThen() {
  const QString path = folder_.filePath(QStringLiteral("best.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  Document document(madeUpSessions());
  ProgramView program(document);
  ProgramCompareView compare(document);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  const TaskHistory* task = &document.session().history().tasks()[0];
  if (task->bests.size() < 2) task = &document.session().history().tasks()[1];
  QVERIFY(task->bests.size() >= 2);
  const RowId id = task->task, before = task->bests[0].record, last = task->bests.back().record;
  document.selection().select({id, before});
  document.selection().compare(
      {{path, id, 0, true, {}}, {path, id, 0, false, {}}}); // the naive one, the best
  QTRY_COMPARE(program.program().record, before);
  QVERIFY(!program.program().isBest);
  QTRY_VERIFY(compare.isComplete());
  QTRY_VERIFY_WITH_TIMEOUT(document.replayMode().canStart(), 30'000);
  replayFrom(document);
  seekTo(document, whenMeasured(document, last) - 1);
  QTRY_VERIFY(program.program().record == before || program.program().record == 0);
  // Until the next one came, the first was the best.
  std::size_t position = whenMeasured(document, before);
  while (document.session().task(id)->summary.bestRecord != before)
    seekTo(document, ++position);
  QTRY_VERIFY(program.program().record == before && program.program().isBest);
  QTRY_VERIFY(compare.isComplete());
  QTRY_VERIFY(compare.head(Side::B)->alias().contains(QStringLiteral("best")));
  seekTo(document, document.replayMode().replay()->size());
  QTRY_VERIFY(program.program().record == before && !program.program().isBest);
}

/// While the program of the moment is read, the one that is not measured yet is gone already.
void ReplayedViewsTest::whatIsLaterIsNotActedOn() {
  const QString path = folder_.filePath(QStringLiteral("later.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  Document document(madeUpSessions());
  ProgramView program(document);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  document.selection().selectTask(document.session().tasks().front().row.id);
  replayFrom(document);
  seekTo(document, document.replayMode().replay()->size());
  QTRY_VERIFY(program.program().record != 0);
  const RowId last = program.program().record;
  int jumps = 0, later = 0;
  connect(&document.follower(), &SessionFollower::jumped, this, [&] {
    ++jumps;
    program.head()->compareWithNaive(); // as pressed in this moment
    if (isLater(document, last) && document.selection().compared().b.record == last) ++later;
  });
  seekTo(document, 1);
  QVERIFY(jumps > 0);
  QCOMPARE(later, 0);
  document.follower().disconnect(this);
}

/// The naive program is one that is not measured before that was told, though the file knows it.
void ReplayedViewsTest::naiveIsMeasuredFirst() {
  const QString path = folder_.filePath(QStringLiteral("naive.nwdb"));
  runMadeUpSession(path, madeUpConfig("random"));
  Document document(madeUpSessions());
  ProgramView program(document);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QTRY_VERIFY(!document.session().historyLoading());
  const RowId id = document.session().tasks().front().row.id;
  document.selection().selectTask(id);
  replayFrom(document);
  const auto naive = [&] { return document.session().task(id)->summary.naiveSeconds; };
  QCOMPARE(naive(), 0.0);
  QTRY_VERIFY(program.program().task == id && program.program().ref.naive);
  QCOMPARE(program.program().subtitle, QStringLiteral("naive program · not measured yet"));
  const auto latency = [&] {
    const auto& facts = program.program().provenance;
    const auto fact = std::ranges::find(facts, QStringLiteral("Latency"), &Provenance::name);
    return fact == facts.end() ? QString() : fact->value;
  };
  QCOMPARE(latency(), QStringLiteral("not measured yet"));
  while (naive() == 0) {
    QVERIFY(!document.replayMode().replay()->atEnd());
    document.replayMode().replay()->stepForward();
  }
  QTRY_COMPARE(program.program().subtitle,
               QStringLiteral("naive program · %1").arg(timeText(naive())));
  QCOMPARE(latency(), timeText(naive()));
}

/// What it measured after the session of the replay is known, whatever its number.
void ReplayedViewsTest::anEarlierSessionMayHaveGoneOn() {
  const QString path = folder_.filePath(QStringLiteral("interleaved.nwdb"));
  const RowId earlier = runMadeUpSession(path, madeUpConfig("random"));
  RowId task = 0, forgotten = 0;
  {
    Document document(madeUpSessions());
    SessionConfig config = madeUpConfig("random");
    config.seed = 4;
    config.trials = 32;
    document.create(path, config, true);
    QTRY_COMPARE_WITH_TIMEOUT(document.session().status(), SessionStatus::Finished, 120'000);
    QTRY_VERIFY(!document.session().historyLoading());
    task = document.session().tasks().front().row.id;
    forgotten = document.session().task(task)->summary.bestRecord;
    int told = 0;
    connect(&document.follower(), &SessionFollower::recordsReread, this, [&] { ++told; });
    document.steering().steer(Forget{{forgotten}}); // bests of the moment are counted again
    QTRY_COMPARE(told, 1);
    document.follower().disconnect(this);
  }
  RowId added = 0;
  {
    RecordStore store = RecordStore::open(path.toStdString());
    Record record = *store.records().one(forgotten);
    record.id = 0;
    record.session = earlier;
    record.trial = 1000;
    record.forgotten = false;
    record.result.seconds = {record.result.latency() / 100};
    added = store.records().add(record);
  }
  Document document(madeUpSessions());
  ProgramView program(document);
  document.open(path);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  QVERIFY(document.session().row().id != earlier);
  document.selection().selectTask(task);
  replayFrom(document);
  seekTo(document, document.replayMode().replay()->size());
  QVERIFY(document.replayMode().newestRecord() < added);
  QCOMPARE(document.session().task(task)->summary.bestRecord, added);
  QTRY_COMPARE(program.program().record, added);
  QVERIFY(program.program().isBest);
}

NW_TEST_GUI(ReplayedViewsTest)

} // namespace nestwright::replayed_views_test

#include "replayed_views.moc"
