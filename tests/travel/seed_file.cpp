#include "core/travel/seed_file.h"

#include "core/record/store/store.h"
#include "tests/dataset/recorded.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

namespace nestwright::seed_file_test {

using test::product;
using test::RecordedFile;
using test::tiled;

QString problemOf(const std::string& file) {
  return QString::fromStdString(test::messageOf([&] { readSeeds(file); }));
}

class SeedFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A portfolio as a file and back: the steps are those of the records, with the reason of each.
  void aPortfolioBecomesSeeds() {
    const samples::Folder folder;
    const ComputeDag dag = product(128);
    {
      RecordedFile file(folder.file("a.nwdb"));
      const RowId first = file.task(dag, file.target("first"));
      const RowId second = file.task(dag, file.target("second"));
      for (const auto& [program, onFirst, onSecond] :
           {std::tuple(3, 1e-3, 9e-3), std::tuple(5, 2e-3, 1e-3)}) {
        file.add(first, dag, tiled(128, program), {onFirst});
        file.add(second, dag, tiled(128, program), {onSecond});
      }
    }
    TravelChoice choice;
    choice.data.files = {folder.file("a.nwdb")};
    const std::vector<RecordStore> files = openFiles(choice.data);
    const TravelTimes times = readTravelTimes(files, choice);
    writeSeeds(portfolioSeeds(travelMap(times, choice.settings), times, files),
               folder.file("seeds.json"));
    const std::vector<SeedProgram> seeds = readSeeds(folder.file("seeds.json"));
    QCOMPARE(seeds.size(), std::size_t{2});
    std::set<std::string> programs;
    for (const SeedProgram& seed : seeds) {
      QCOMPARE(seed.task, workloadKey(dag));
      QCOMPARE(programId(dag, seed.steps), seed.program);
      const char* target = seed.steps == tiled(128, 3) ? "first" : "second";
      QCOMPARE(seed.reason, fmt::format("within 5 % of the best on {}", target));
      programs.insert(seed.program);
    }
    QCOMPARE(programs.size(), std::size_t{2});
  }

  void whatIsNoFileOfSeeds() {
    const samples::Folder folder;
    const auto written = [&](const std::string& text) {
      std::ofstream(folder.file("seeds.json")) << text;
      return problemOf(folder.file("seeds.json"));
    };
    QVERIFY(written("not JSON").contains("no JSON"));
    QVERIFY(written("[]").contains("these are no seeds"));
    QVERIFY(written(R"({"kind": "nestwright seeds", "version": 7, "programs": []})")
                .contains("of version 7; this program reads version 1"));
    QVERIFY(written(R"({"kind": "nestwright seeds", "version": 1, "programs": [{}]})")
                .contains("cannot be read"));
    QVERIFY(problemOf(folder.file("missing.json")).contains("missing.json"));
  }
};

NW_TEST_GUILESS(SeedFileTest)

} // namespace nestwright::seed_file_test

#include "seed_file.moc"
