/// Instruction-set targets as a person meets them: programs tuned for one are kept apart from those
/// for all that the processor has, are shown as they were compiled, and what does not go is said.

#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/target/instruction_set.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::instruction_set_targets_test {

class InstructionSetTargets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void recordsAreApart() {
    if (!canRun(hostTarget(), InstructionSet::Sse42)) QSKIP("no processor of this family");
    const QString path = folder_.filePath("apart.nwdb");
    for (const QStringList& options : {QStringList{}, QStringList{"--isa", "sse4.2"},
                                       QStringList{"--isa", "sse4.2", "--lowering", "plain"}}) {
      const ProgramResult tuned = run(
          QStringList{"tune", kTask, "--trials", "4", "--threads", "1", "--db", path, "--json"} +
          options);
      QVERIFY2(tuned.exitCode == 0, tuned.errors);
    }
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.targets().all().size(), std::size_t{3});
  }

  /// Right all the same, and not without a word.
  void narrowProductsWithoutAnInstructionAreSaid() {
    if (!canRun(hostTarget(), InstructionSet::Avx2)) QSKIP("this processor has no avx2");
    for (const char* const type : {"bf16", "int8"}) {
      const QString task = QString("%1,%2=1").arg(kTask, type);
      const ProgramResult tuned =
          run({"tune", task, "--trials", "2", "--threads", "1", "--isa", "avx2", "--db",
               folder_.filePath(QString("%1.nwdb").arg(type)), "--json"});
      QVERIFY2(tuned.exitCode == 0, tuned.errors);
      QVERIFY2(tuned.errors.contains("do not use an instruction for products of"), tuned.errors);
      QCOMPARE(tuned.json().at("errors").get<int>(), 0);
    }
    const ProgramResult wide = run({"tune", kTask, "--trials", "1", "--threads", "1", "--isa",
                                    "avx2", "--db", folder_.filePath("wide.nwdb")});
    QVERIFY2(!wide.errors.contains("do not use"), wide.errors);
  }

  /// Also where nothing is tuned: of a network before it is built, of a library for each processor.
  void theyAreSaidWhereProgramsAreUsed() {
    if (!canRun(hostTarget(), InstructionSet::Avx2)) QSKIP("this processor has no avx2");
    const QString task = QString("%1,int8=1").arg(kTask), path = folder_.filePath("used.nwdb");
    const QByteArray said = "do not use an instruction for products of";
    const ProgramResult tuned = run(
        {"tune", task, "--trials", "2", "--threads", "1", "--isa", "avx2", "--db", path, "--json"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const ProgramResult deployed =
        run({"deploy", task, "--db", path, "--cpu", "x86-64-v2,x86-64-v3", "--cores", "1",
             "--allow-naive", "--name", "mm", "-o", folder_.filePath("mm"), "--json"});
    QVERIFY2(deployed.exitCode == 0, deployed.errors);
    for (const char* const processor : {"x86-64-v2", "x86-64-v3"})
      QVERIFY2(deployed.errors.contains("note: mm, for " + QByteArray(processor) +
                                        ": programs for this target " + said),
               deployed.errors);
    const QString network = QStringLiteral("resnet18:batch=1,image=32");
    for (const char* const precision : {"bf16", "float32"}) {
      const ProgramResult ran =
          run({"run", network, "--db", path, "--isa", "avx2", "--precision", precision});
      QCOMPARE(ran.errors.contains(said), QByteArray(precision) == "bf16");
    }
  }

  void whatDoesNotGoIsSaid() {
    const ProgramResult gpu = run({"sketches", kTask, "--target", "cuda:sm_90", "--isa", "avx2"});
    QCOMPARE(gpu.exitCode, 2);
    QVERIFY2(gpu.errors.contains("leave --isa out"), gpu.errors);
    const ProgramResult unknown = run({"sketches", kTask, "--isa", "avx3"});
    QCOMPARE(unknown.exitCode, 2);
    QVERIFY2(unknown.errors.contains("sse4.2"), unknown.errors);
    if (canRun(hostTarget(), InstructionSet::Avx512)) return;
    const ProgramResult lacking = run({"sketches", kTask, "--isa", "avx512"});
    QCOMPARE(lacking.exitCode, 1);
    QVERIFY2(lacking.errors.contains("cannot run programs for avx512: it lacks"), lacking.errors);
  }

 private:
  static constexpr const char* kTask = "matmul:m=48,n=48,k=48";

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(InstructionSetTargets)

} // namespace nestwright::instruction_set_targets_test

#include "instruction_set_targets.moc"
