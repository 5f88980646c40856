/// \file Which of a task's programs a network runs, and what is said of those that it does not.

#include "core/record/query/network_best.h"

#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::network_best_test {

/// As of a product on tensor cores.
Steps stepsWith(const char* instruction) {
  return {PragmaStep{2, 0, fmt::format("tensor_instruction${}", instruction)}};
}

class NetworkBestTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyFloat32IsRoundedToTf32() {
    Record record;
    QVERIFY(!isTf32(record));
    record.steps = stepsWith("mma_m16n8k16_bf16");
    QVERIFY(!isTf32(record));
    record.steps = stepsWith("mma_m16n8k8_tf32");
    QVERIFY(isTf32(record));
  }

  /// Its time is faster, and of another answer.
  void tf32HasToBeAskedFor() {
    const samples::Folder folder;
    RecordStore store = RecordStore::open(folder.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    const RowId task = ground.tasks.front();
    const auto add = [&](int trial, double seconds, const char* instruction) {
      Record record = samples::record(ground, trial, seconds);
      if (instruction) record.steps = stepsWith(instruction);
      return store.records().add(record);
    };
    const RowId slow = add(1, 4e-3, nullptr);
    QCOMPARE(networkBest(store, task).record->id, slow);
    const RowId rounding = add(2, 1e-3, "mma_m16n8k8_tf32");
    const NetworkBest best = networkBest(store, task);
    QCOMPARE(best.record->id, slow);
    QCOMPARE(best.passedOver, rounding);
    QCOMPARE(best.why, NetworkRefusal::Tf32);
    const NetworkBest allowed = networkBest(store, task, true);
    QCOMPARE(allowed.record->id, rounding);
    QCOMPARE(allowed.passedOver, RowId(0));
    QCOMPARE(allowed.why, NetworkRefusal::None);
  }
};

NW_TEST_GUILESS(NetworkBestTest)

} // namespace nestwright::network_best_test

#include "network_best.moc"
