/// Whether `db check` finds programs that are not those that were measured.

#include "core/record/care/program_check.h"

#include "core/record/format/step_codec.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/sql/sqlite.h"
#include "core/schedule/state.h"
#include "core/tensor/text.h"
#include "tests/record/full_file.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QtTest>

namespace nestwright::program_check_test {

constexpr int kRecords = 40;

ComputeDag matmul() {
  return parseDag("A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
                  "C(i, j) += (A[i, k]*B[k, j])\n");
}

Steps steps(int trial) {
  return {SplitStep{2, 0, 512, {TileSize(1 << (trial % 5)), TileSize(2)}, true},
          AnnotationStep{2, 0, Annotation::Parallel}};
}

/// A document with a real task and programs of it.
void makeDocument(const std::string& path) {
  const ComputeDag dag = matmul();
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  samples::Ground ground = samples::fill(store);
  ground.tasks = {store.tasks().add({0, ground.network, ground.target, 1, workloadKey(dag),
                                     "matmul", print(dag), 1, 2.0 * 512 * 512 * 512})};
  for (int trial = 1; trial <= kRecords; ++trial) {
    Record record = samples::record(ground, trial, 1.0 / trial);
    record.steps = steps(trial);
    record.program = programId(dag, record.steps);
    store.records().add(record);
  }
}

ProgramCheck checked(const std::string& path) {
  return checkPrograms(RecordStore::open(path, OpenMode::ReadOnly));
}

void change(const std::string& path, const std::string& sql) {
  sqlite::Database(path, sqlite::Access::ReadWrite).execute(sql);
}

/// A document that was changed from outside, without the task that has no definition.
struct Altered {
  explicit Altered(const std::string& sql) {
    makeDocument(path);
    change(path, "UPDATE task SET dag = '' WHERE id = 1; " + sql);
  }
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
};

bool isOnly(const ProgramCheck& check, const std::string& what) {
  const bool only = check.problems.size() == 1 && check.problems[0].find(what) != std::string::npos;
  if (!only) qWarning("%s", fmt::format("{}", check.problems).c_str());
  return only;
}

class ProgramChecking : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void measuredProgramsAgree() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    makeDocument(path);
    std::vector<double> parts;
    const ProgramCheck check =
        checkPrograms(RecordStore::open(path, OpenMode::ReadOnly), [&](double done) {
          parts.push_back(done);
          return true;
        });
    // The other task of the file has a definition that is none.
    QVERIFY(isOnly(check, "task 1: its definition cannot be read"));
    QCOMPARE(check.replayed, std::int64_t(kRecords));
    QCOMPARE(check.imported, std::int64_t(0));
    QCOMPARE(parts.size(), std::size_t(kRecords));
    QVERIFY(std::is_sorted(parts.begin(), parts.end()) && parts.back() < 1);
  }

  void importedProgramsHaveNoIdentityOfTheirOwn() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    makeDocument(path);
    change(path, "UPDATE task SET dag = '' WHERE id = 1");
    samples::importLog(path);
    change(path, "UPDATE task SET dag = (SELECT dag FROM task WHERE id = 2) WHERE dag <> '' AND "
                 "id > 2");
    const ProgramCheck check = checked(path);
    QCOMPARE(fmt::format("{}", check.problems), std::string("[]"));
    QCOMPARE(check.replayed, std::int64_t(kRecords));
    QVERIFY(check.imported > 0);
  }

  /// As `db check` called sound: the pages, the sums and the codes are right.
  void alteredStepsAreFound() {
    const Altered document("UPDATE record SET step_values = (SELECT step_values FROM record WHERE "
                           "trial = 8) WHERE trial = 7");
    QVERIFY(RecordStore::open(document.path, OpenMode::ReadOnly).check().empty());
    QVERIFY(isOnly(checked(document.path), "record 7: its steps make program "));
  }

  void alteredIdentitiesAreFound() {
    const Altered document("UPDATE record SET program = randomblob(16) WHERE trial = 9");
    QVERIFY(isOnly(checked(document.path), "record 9: its steps make program "));
  }

  void recordsThatCannotBeReadAreNotTheDefinition() {
    const Altered document("UPDATE record SET details = x'ff' WHERE trial = 9");
    QVERIFY(isOnly(checked(document.path), "task 2: its records cannot be read"));
  }

  void alteredDefinitionsAreFound() {
    const Altered document("DELETE FROM trace; UPDATE task SET dag = replace(dag, 'A[i, k]*', "
                           "'A[i, k]+') WHERE id = 2");
    const ProgramCheck check = checked(document.path);
    QVERIFY(check.problems.size() > 1);
    QVERIFY2(check.problems[0].find("task 2: its definition is not the one in its key") !=
                 std::string::npos,
             check.problems[0].c_str());
  }

  /// Whoever alters steps can compute their identity, too.
  void stepsThatCannotHaveRunAreFound() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    makeDocument(path);
    {
      RecordStore store = RecordStore::open(path);
      samples::Ground ground;
      ground.session = 1, ground.tasks = {2};
      Record record = samples::record(ground, kRecords + 1, 1);
      record.steps = {SplitStep{7, 0, 512, {TileSize(2)}, true}};
      record.program = programId(matmul(), record.steps);
      store.records().add(record);
    }
    change(path, "UPDATE task SET dag = '' WHERE id = 1");
    QVERIFY(isOnly(checked(path), "it ran, and its steps cannot be replayed"));
  }

  void alteredModelsAreFound() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    makeDocument(path);
    RecordStore::open(path).models().save(1, "xgboost", "trees and leaves");
    QVERIFY(RecordStore::open(path, OpenMode::ReadOnly).check().empty());
    change(path, "UPDATE model SET bytes = CAST('trees and thorns' AS BLOB)");
    const std::vector<std::string> problems = RecordStore::open(path, OpenMode::ReadOnly).check();
    QCOMPARE(problems.size(), std::size_t(1));
    QVERIFY2(problems[0].find("the cost model 'xgboost' of session 1") != std::string::npos,
             problems[0].c_str());
  }

  void checkingStops() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    makeDocument(path);
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QVERIFY_THROWS_EXCEPTION(QueryStopped, checkPrograms(store, [](double) { return false; }));
  }
};

NW_TEST_GUILESS(ProgramChecking)

} // namespace nestwright::program_check_test

#include "program_check.moc"
