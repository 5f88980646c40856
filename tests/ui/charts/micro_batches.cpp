/// The micro-batches of a measurement: drawn, counted, and told of in the records.

#include "tests/support/test_program.h"
#include "ui/charts/micro_batch_view.h"
#include "ui/document/document.h"
#include "ui/records/record_columns.h"

#include <QTest>

namespace nestwright::micro_batches_test {

using namespace nestwright::ui;

/// 200 runs in four micro-batches, with an extreme at either end, and repeats behind them.
MeasureResult measured() {
  MeasureResult result;
  result.seconds = {9e-6, 4e-6, 5e-6, 1e-6, 7e-6, 7e-6, 7e-6};
  result.runsPerRepeat = 50;
  result.evaluation =
      Evaluation{EvaluatorKind::Adaptive, SpeedEstimate::Batch, StopReason::Steady, 4};
  return result;
}

RecordRow rowWith(const MeasureResult& result) {
  Record record;
  record.result = result;
  return rowOf(record);
}

QString cell(const char* key, const MeasureResult& result) {
  const Document document;
  for (const RecordColumn& column : recordColumns())
    if (QLatin1String(column.key) == QLatin1String(key))
      return column.text(rowWith(result), document);
  qFatal("no column %s", key);
}

QString exported(const char* key, const MeasureResult& result) {
  Record record;
  record.result = result;
  for (const RecordColumn& column : recordColumns())
    if (QLatin1String(column.key) == QLatin1String(key)) return column.exported(record, {});
  qFatal("no column %s", key);
}

class MicroBatchesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void extremesAreNotCounted() {
    MicroBatchView view;
    view.show(measured());
    QVERIFY(!view.isHidden());
    const ExportTable table = view.plot()->table();
    QStringList counted;
    table.rows([&](const QStringList& row) {
      counted << row.last();
      return true;
    });
    QCOMPARE(counted, QStringList({"no", "yes", "yes", "no"}));
    QVERIFY2(view.reason().contains(QStringLiteral("steady")), qPrintable(view.reason()));
    QVERIFY(view.reason().contains(QStringLiteral("vary by")));
  }

  void theKeysGoThroughThem() {
    MicroBatchView view;
    view.resize(500, 200);
    view.setVisible(true);
    view.show(measured());
    QTest::keyClick(view.plot(), Qt::Key_Right);
    QVERIFY(view.plot()->readout().contains(QStringLiteral("micro-batch 1 of 4")));
    QVERIFY(view.plot()->readout().contains(QStringLiteral("extreme")));
    QTest::keyClick(view.plot(), Qt::Key_Right);
    QVERIFY(view.plot()->readout().contains(QStringLiteral("vary by")));
    view.show({});
    QVERIFY(view.isHidden());
  }

  void recordsTellOfThem() {
    const MeasureResult result = measured();
    QCOMPARE(cell("runs", result), QStringLiteral("200")); // the repeats behind are no part of it
    QCOMPARE(exported("runs", result), QStringLiteral("200"));
    QCOMPARE(cell("stopped", result), QStringLiteral("steady"));
    MeasureResult all = result;
    all.evaluation->stopped = StopReason::AllRuns;
    QCOMPARE(cell("stopped", all), QString());
    MeasureResult repeats;
    repeats.seconds = {1e-3, 1e-3, 1e-3};
    repeats.runsPerRepeat = 7;
    QCOMPARE(cell("runs", repeats), QStringLiteral("21"));
    QCOMPARE(cell("stopped", repeats), QString());
  }
};

NW_TEST_GUI(MicroBatchesTest)

} // namespace nestwright::micro_batches_test

#include "micro_batches.moc"
