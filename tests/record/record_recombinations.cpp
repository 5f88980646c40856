/// Recombinations, their samples and the kept choice, as the file keeps them.

#include "core/record/store/choice_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::record_recombinations_test {

SampleRow sampleRow(RowId recombination, int number) {
  SampleRow row;
  row.recombination = recombination;
  row.sample = number;
  row.draw = number - 1;
  row.choice = {0, number % 3};
  row.seconds = {1e-3 * number, 2e-3};
  row.wallSeconds = 0.5 * number;
  return row;
}

class RecordRecombinations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsAndSamplesComeBack() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RowId id = 0;
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      const samples::Ground ground = samples::fill(store, 2);
      id = store.recombinations().add({0, ground.network, ground.target, "{\"k\":3}", "{}",
                                       SessionStatus::Running, 11, 12, 0.5, "product 1"});
      for (int i = 0; i < 3; ++i)
        store.recombinations().addSample(sampleRow(id, i));
      SampleRow failed = sampleRow(id, 3);
      failed.verdict = Verdict::RunError;
      failed.error = "crashed: signal 11";
      failed.seconds.clear();
      store.recombinations().addSample(failed);
      QVERIFY_THROWS_EXCEPTION(Error, store.recombinations().addSample(failed));
      RecombinationRow row = *store.recombinations().one(id);
      row.status = SessionStatus::Finished;
      row.state = "{\"winner\":2}";
      row.wallSeconds = 9;
      store.recombinations().update(row);
      row.id = 99;
      QVERIFY_THROWS_EXCEPTION(InputError, store.recombinations().update(row));
    }
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.recombinations().all().size(), std::size_t(1));
    QVERIFY(store.recombinations().all(99).empty());
    const RecombinationRow row = *store.recombinations().one(id);
    QCOMPARE(row.status, SessionStatus::Finished);
    QCOMPARE(row.state, std::string("{\"winner\":2}"));
    QCOMPARE(row.product, std::string("product 1"));
    QCOMPARE(row.wallSeconds, 9.0);
    const std::vector<SampleRow> all = store.recombinations().samples(id);
    QCOMPARE(all.size(), std::size_t(4));
    QCOMPARE(all[2].choice, (std::vector<int>{0, 2}));
    QCOMPARE(all[2].seconds, (std::vector<double>{2e-3, 2e-3}));
    QCOMPARE(all[2].draw, std::int64_t(1));
    QCOMPARE(all[3].verdict, Verdict::RunError);
    QCOMPARE(all[3].error, std::string("crashed: signal 11"));
    QCOMPARE(store.recombinations().samples(id, 2).size(), std::size_t(1));
    QVERIFY(store.check().empty());
  }

  void theLastChoiceIsTheOneThatCounts() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store, 2);
    const RowId first = store.records().add(samples::record(ground, 1, 1e-3, ground.tasks[0]));
    const RowId second = store.records().add(samples::record(ground, 2, 1e-3, ground.tasks[1]));
    const RowId id = store.recombinations().add(
        {0, ground.network, ground.target, "{}", "{}", SessionStatus::Finished, 1, 1, 0, "p"});
    QVERIFY(!store.choices().of(ground.network, ground.target));
    store.choices().keep({ground.network,
                          ground.target,
                          id,
                          7,
                          1.05,
                          {{ground.tasks[0], first}, {ground.tasks[1], second}}});
    store.choices().keep({ground.network, ground.target, id, 8, 1.10, {{ground.tasks[1], second}}});
    const NetworkChoice choice = *store.choices().of(ground.network, ground.target);
    QCOMPARE(choice.keptAt, std::int64_t(8));
    QCOMPARE(choice.gain, 1.10);
    QCOMPARE(choice.programs.size(), std::size_t(1));
    QCOMPARE(choice.programs[0].record, second);
    QVERIFY(store.check().empty());
    // A record that is not there cannot be kept, and what was kept stays.
    QVERIFY_THROWS_EXCEPTION(
        Error,
        store.choices().keep({ground.network, ground.target, id, 9, 1, {{ground.tasks[0], 99}}}));
    QCOMPARE(store.choices().of(ground.network, ground.target)->keptAt, std::int64_t(8));
    store.choices().drop(ground.network, ground.target);
    QVERIFY(!store.choices().of(ground.network, ground.target));
  }
};

NW_TEST_GUILESS(RecordRecombinations)

} // namespace nestwright::record_recombinations_test

#include "record_recombinations.moc"
