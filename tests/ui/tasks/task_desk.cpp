/// The table of tasks as the place from which a session is steered.

#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/story/task_shares.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/sample.h"
#include "ui/kit/elide.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/tasks/importance_slider.h"
#include "ui/tasks/task_model.h"
#include "ui/tasks/task_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"

#include <QFile>
#include <QHeaderView>
#include <QTest>

#include <set>

namespace nestwright::task_desk_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class TaskDeskTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }
  void steeringIsInReachOnASmallScreen();
  void aClickPinsAndPauses();
  void aDragSetsTheImportance();
  void columnsShowOnceTheySaySomething();
  void noShareUntilEachTaskWasMeasured();
  void namesAreShortenedWhereTheyDoNotDiffer();

 private:
  QTemporaryDir settings_, folder_;
};

/// At 1280 px in the Tune layout, with names of a network: from the name to pausing nothing is cut.
void TaskDeskTest::steeringIsInReachOnASmallScreen() {
  const QString copy = folder_.filePath(QStringLiteral("sample.nwdb"));
  QVERIFY(QFile::copy(samplePath(), copy));
  QVERIFY(QFile(copy).setPermissions(QFile::ReadOwner | QFile::WriteOwner));
  MainWindow window(coreCatalogue());
  window.resize(1280, 800);
  window.show();
  window.openFile(copy);
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state(), DocumentState::Ready, 20'000);
  const TaskView& view = *window.panels().view<TaskView>();
  QTRY_VERIFY(view.viewport()->width() > 400);
  for (const int column : {TaskModel::Name, TaskModel::Best, TaskModel::Share,
                           TaskModel::Importance, TaskModel::Pinned, TaskModel::Paused}) {
    const QString title = view.model()->headerData(column, Qt::Horizontal).toString();
    const int left = view.columnViewportPosition(column);
    QVERIFY2(left >= 0 && left + view.columnWidth(column) <= view.viewport()->width(),
             qPrintable(QStringLiteral("%1 ends at %2 of %3")
                            .arg(title)
                            .arg(left + view.columnWidth(column))
                            .arg(view.viewport()->width())));
    const QHeaderView& header = *view.horizontalHeader();
    QVERIFY2(header.sectionSize(column) >= header.fontMetrics().horizontalAdvance(title) + 8,
             qPrintable(title));
  }
  window.close();
}

/// The task of the second row by clicks of the mouse.
void TaskDeskTest::aClickPinsAndPauses() {
  const auto sample = makeSample(10);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  TaskView view(document);
  view.resize(700, 300);
  view.show();
  const RowId task = sample->tasks[1];
  const auto click = [&](int column) {
    const QModelIndex cell = view.model()->index(1, column);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(cell).center());
  };
  const auto mode = [&] { return document.session().task(task)->mode; };
  const auto isDimmed = [&] {
    return view.model()->index(1, TaskModel::Name).data(Qt::ForegroundRole).isValid();
  };
  click(TaskModel::Pinned);
  QCOMPARE(mode(), TaskMode::Pinned);
  QTRY_VERIFY(!script.commands.empty());
  QCOMPARE(script.commands.back(), (Command{SetTaskMode{task, TaskMode::Pinned}}));
  QCOMPARE(view.model()->index(1, TaskModel::Pinned).data(Qt::CheckStateRole).toInt(),
           int(Qt::Checked));
  QVERIFY(!isDimmed());
  click(TaskModel::Paused);
  QCOMPARE(mode(), TaskMode::Paused);
  QVERIFY(isDimmed());
  QCOMPARE(view.model()->index(1, TaskModel::Pinned).data(Qt::CheckStateRole).toInt(),
           int(Qt::Unchecked));
  click(TaskModel::Paused);
  QCOMPARE(mode(), TaskMode::Free);
  QVERIFY(!isDimmed());
}

void TaskDeskTest::aDragSetsTheImportance() {
  const auto sample = makeSample(10);
  SessionScript script;
  Document document(scripted(script));
  openSample(document, *sample);
  TaskView view(document);
  view.resize(700, 300);
  view.show();
  QStyleOptionViewItem cell;
  cell.initFrom(&view);
  cell.rect = view.visualRect(view.model()->index(0, TaskModel::Importance));
  const QRect groove = ImportanceSlider::groove(cell);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                    QPoint(groove.right(), groove.center().y()));
  QCOMPARE(document.session().task(sample->tasks[0])->importance, 8.0);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                    QPoint(groove.left(), groove.center().y()));
  QCOMPARE(document.session().task(sample->tasks[0])->importance, 0.0);
}

void TaskDeskTest::columnsShowOnceTheySaySomething() {
  Document document;
  TaskView view(document);
  const auto untouched = makeSample(0);
  openSample(document, *untouched);
  for (const int column : {TaskModel::Trend, TaskModel::Errors})
    QVERIFY(view.isColumnHidden(column));
  const auto tuned = makeSample(100); // every tenth failed
  openSample(document, *tuned);
  QTRY_VERIFY(!view.isColumnHidden(TaskModel::Trend));
  QVERIFY(!view.isColumnHidden(TaskModel::Errors));
}

/// During the warm-up, shares would add up to all of the network although half of it is not known.
void TaskDeskTest::noShareUntilEachTaskWasMeasured() {
  const auto sample = makeSample(4); // two of each task but the first
  {
    RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::ReadWrite);
    store.tasks().setNaiveSeconds(sample->tasks[0], 0);
  }
  Document document;
  openSample(document, *sample);
  TaskModel model(document);
  const int measured = 3 - unmeasuredTasks(document.session().tasks());
  QCOMPARE(measured, 2);
  for (int row = 0; row < model.rowCount(); ++row) {
    const QModelIndex share = model.index(row, TaskModel::Share);
    QCOMPARE(share.data().toString(), noValue());
    QVERIFY(!share.data(FractionRole).toDouble());
    QVERIFY2(share.data(Qt::ToolTipRole).toString().contains(QStringLiteral("1 of 3")),
             qPrintable(share.data(Qt::ToolTipRole).toString()));
  }
}

void TaskDeskTest::namesAreShortenedWhereTheyDoNotDiffer() {
  const QStringList names{QStringLiteral("Conv 3x3 64→64 on 56x56 + Bias + Relu"),
                          QStringLiteral("Conv 3x3 64→64 on 56x56 + Bias + Add + Relu"),
                          QStringLiteral("Conv 3x3 64→64 on 28x28 + Bias + Relu"),
                          QStringLiteral("Conv 3x3 64→128 on 56x56 + Bias + Relu"),
                          QStringLiteral("Conv 1x1 64→64 on 56x56 + Bias + Relu"),
                          QStringLiteral("Dense 512→1000")};
  const QFontMetrics metrics{QFont()};
  for (const int width : {180, 140, 120}) {
    std::set<QString> shown;
    for (const QString& name : names) {
      const QString text = elidedApart(name, names, metrics, width);
      QVERIFY2(metrics.horizontalAdvance(text) <= width, qPrintable(text));
      shown.insert(text);
    }
    QCOMPARE(shown.size(), std::size_t(names.size()));
  }
  QCOMPARE(elidedApart(names.back(), names, metrics, 400), names.back());
  QCOMPARE(elidedApart(names.front(), names, metrics, 0), QStringLiteral("…"));
}

NW_TEST_GUI(TaskDeskTest)

} // namespace nestwright::task_desk_test

#include "task_desk.moc"
