/// Crossing a task's fastest programs by the command line, on the machine.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/crossing/ancestry.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace nestwright::cross_test {

using nlohmann::json;

class Cross : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult tuned =
        run({"tune", "matmul:m=64,n=64,k=64", "--policy", "random", "--trials", "32", "--repeats",
             "1", "--seed", "1", "--threads", "1", "--db", database()});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
  }

  void sameSeedSameCrosses() {
    const ProgramResult once = cross({"--json"});
    QVERIFY2(once.exitCode == 0, once.errors);
    const json result = once.json();
    QCOMPARE(result.at("parents").size(), std::size_t(10));
    QCOMPARE(result.at("crosses").size(), std::size_t(200));
    QCOMPARE(result.at("legal").get<int>() + result.at("illegal").get<int>() +
                 result.at("duplicate").get<int>(),
             200);
    QVERIFY(result.at("legal").get<int>() > 3);
    QVERIFY(result.at("predicted").get<bool>());
    for (const json& child : result.at("crosses")) {
      const bool legal = child.at("outcome") == "legal";
      QCOMPARE(child.at("predicted").is_number(), legal);
      QVERIFY(legal == child.at("reason").get<std::string>().empty());
    }
    QVERIFY(cross({"--json"}).output == once.output);
    QVERIFY(cross({"--json", "--seed", "8"}).output != once.output);
    const ProgramResult text = cross({});
    QVERIFY2(text.output.contains("predicted better than both parents"), text.output);
  }

  void measuresTheMostPromising() {
    const json result = cross({"--measure", "3", "--json"}).json();
    const RecordStore store = RecordStore::open(database().toStdString(), OpenMode::ReadOnly);
    QVERIFY(store.check().empty());
    QCOMPARE(store.sessions().summary(1).trials, std::int64_t(35));
    int measured = 0;
    for (const json& child : result.at("crosses")) {
      if (child.at("measured").is_null()) continue;
      ++measured;
      const std::optional<Record> record =
          store.records().one(child.at("measured").at("record").get<RowId>());
      QVERIFY(record && record->onDemand);
      QCOMPARE(record->program, child.at("program").get<std::string>());
      // Its family tree shows both parents.
      const std::vector<Ancestor> family = ancestors(store, 1, 1, record->program);
      for (const json& parent : child.at("parents")) {
        const json& one = result.at("parents").at(parent.get<std::size_t>() - 1);
        QVERIFY(std::ranges::count(family.front().parents, one.at("program").get<std::string>()) ==
                1);
        QVERIFY(std::ranges::count(family, one.at("record").get<RowId>(), &Ancestor::record) == 1);
      }
    }
    QCOMPARE(measured, 3);
    const std::string best = store.records().best(1)->program;
    QCOMPARE(result.at("best_after").at("program").get<std::string>(), best);
    const json again = cross({"--json"}).json(); // with what is the fastest now
    for (const json& child : again.at("crosses"))
      if (child.at("outcome") == "legal")
        for (const json& before : result.at("crosses"))
          QVERIFY(before.at("measured").is_null() || before.at("program") != child.at("program"));
  }

  void parentsCanBeNamed() {
    const json result = cross({"--parents", "1", "2", "3", "--count", "20", "--json"}).json();
    QCOMPARE(result.at("parents").size(), std::size_t(3));
    QCOMPARE(result.at("parents").at(1).at("record").get<RowId>(), RowId(2));
    QCOMPARE(result.at("crosses").size(), std::size_t(20));
    QCOMPARE(cross({"--parents", "1"}).exitCode, 1);
    QCOMPARE(cross({"--parents", "1", "2", "--top", "5"}).exitCode, 2);
  }

 private:
  QString database() const { return folder_.filePath(QStringLiteral("a.nwdb")); }
  ProgramResult cross(const QStringList& more) const {
    QStringList arguments{"cross", "--db", database(), "--task", "1"};
    if (!more.contains(QStringLiteral("--seed")))
      arguments << "--seed"
                << "7";
    return run(arguments + more);
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(Cross)

} // namespace nestwright::cross_test

#include "cross.moc"
