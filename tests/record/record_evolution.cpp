/// The generations of a round and the marks of a session, as the file keeps them.

#include "core/record/format/evolution_codec.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/mark_rows.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace nestwright::record_evolution_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

EvolutionRow sampleRow(RowId session, RowId task, int round) {
  Random random(static_cast<std::uint64_t>(round));
  EvolutionRow row;
  row.session = session;
  row.task = task;
  row.round = round;
  for (int i = 0; i < 100; ++i) {
    EvolvedProgram program;
    program.program = fmt::format("{:032x}", 1000 * round + i);
    program.steps = samples::steps(random);
    program.score = i == 99 ? -kInfinity : 1.0 / (i + 1);
    program.operation = i % 2 ? "crossover" : "random sample";
    if (i % 2) program.parents = {fmt::format("{:032x}", i), "not a hash"};
    program.sketch = i % 3;
    program.born = i % 5;
    program.selected = i < 4;
    row.programs.push_back(std::move(program));
  }
  for (int g = 0; g < 5; ++g)
    row.generations.push_back(
        {2048, 1900 + g, {0.5f, 0.25f, -1.5f}, {{"crossover", 7}}, {{g, 0}, {g + 1, 5}}});
  return row;
}

bool same(const EvolutionRow& a, const EvolutionRow& b) {
  const auto sameProgram = [](const EvolvedProgram& x, const EvolvedProgram& y) {
    return x.program == y.program && x.steps == y.steps && x.score == y.score &&
           x.operation == y.operation && x.parents == y.parents && x.sketch == y.sketch &&
           x.born == y.born && x.selected == y.selected;
  };
  const auto samePlace = [](const EvolvedPlace& x, const EvolvedPlace& y) {
    return x.program == y.program && x.rank == y.rank;
  };
  const auto sameGeneration = [&](const EvolvedGeneration& x, const EvolvedGeneration& y) {
    return x.size == y.size && x.distinct == y.distinct && x.quantiles == y.quantiles &&
           x.operations == y.operations && std::ranges::equal(x.places, y.places, samePlace);
  };
  return a.session == b.session && a.task == b.task && a.round == b.round &&
         std::ranges::equal(a.programs, b.programs, sameProgram) &&
         std::ranges::equal(a.generations, b.generations, sameGeneration);
}

class RecordEvolution : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void generationsComeBack() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      samples::fill(store, 2);
      for (const int round : {3, 7, 9})
        store.evolutions().save(sampleRow(1, round == 7 ? 2 : 1, round));
      store.evolutions().save(sampleRow(1, 1, 3)); // the same round again
      QVERIFY_THROWS_EXCEPTION(InputError, store.evolutions().save(sampleRow(99, 1, 1)));
    }
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QVERIFY(same(store.evolutions().of(1, 7).value(), sampleRow(1, 2, 7)));
    QVERIFY(!store.evolutions().of(1, 4));
    QCOMPARE(store.evolutions().rounds(1).size(), std::size_t(3));
    const std::vector<EvolvedRound> ofTask = store.evolutions().rounds(1, 1);
    QCOMPARE(ofTask.size(), std::size_t(2));
    QCOMPARE(ofTask[1].round, 9);
    QVERIFY(store.check().empty());
  }

  /// Bytes cut or changed anywhere are refused or read as something else, and never more.
  void damageNeverHarms() {
    const std::string bytes = encodeEvolution(sampleRow(1, 1, 1));
    QVERIFY_THROWS_EXCEPTION(InputError, decodeEvolution(bytes.substr(0, bytes.size() / 2)));
    QVERIFY_THROWS_EXCEPTION(InputError, decodeEvolution(bytes + "x"));
    Random random(5);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
      std::string damaged = bytes;
      damaged[random.below(damaged.size())] ^= static_cast<char>(1 + random.below(255));
      try {
        decodeEvolution(damaged);
      } catch (const InputError&) {
        ++refused;
      }
    }
    QVERIFY(refused > 100);
  }

  void marksComeBackByTime() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    samples::fill(store, 2);
    const RowId late = store.marks().save({0, 1, 20.5, 200, "the best program appears"});
    const RowId early = store.marks().save({0, 1, 1.5, 10, "only random programs yet"});
    store.marks().save({late, 1, 21, 210, "changed"});
    std::vector<MarkRow> marks = store.marks().of(1);
    QCOMPARE(marks.size(), std::size_t(2));
    QCOMPARE(marks[0].id, early);
    QCOMPARE(marks[1].sentence, std::string("changed"));
    QCOMPARE(marks[1].trials, std::int64_t(210));
    store.marks().remove(early);
    QCOMPARE(store.marks().of(1).size(), std::size_t(1));
    QVERIFY(store.marks().of(2).empty());
  }
};

NW_TEST_GUILESS(RecordEvolution)

} // namespace nestwright::record_evolution_test

#include "record_evolution.moc"
