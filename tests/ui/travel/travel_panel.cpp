/// The travel map as a person uses it: what is said of a document with one target, two targets
/// compared, a portfolio changed, and seeds written for a third.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/travel/seed_file.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/document_file.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/roles.h"
#include "ui/travel/travel_plot.h"
#include "ui/travel/travel_reader.h"
#include "ui/travel/travel_view.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel_host.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>

namespace nestwright::travel_panel_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// Twelve programs of the sample's first task on its target and on a second one: on the first,
/// program n takes 10 + n units, on the second 21 - n, and program 5 fails there. Program 3 takes 9
/// there: it is the best on the second, and within 30 % of the best on both. A unit is so short
/// that the sample's own programs are slower.
void measureElsewhere(const Sample& sample) {
  RecordStore store = RecordStore::open(sample.path.toStdString(), OpenMode::ReadWrite);
  const TaskRow row = *store.tasks().one(sample.tasks[0]);
  TaskRow other = row;
  other.id = 0;
  other.target = store.targets().add({0, "other", "llvm -keys=cpu -isa=sse4.2", "{}"});
  const RowId elsewhere = store.tasks().add(other);
  std::int64_t trial = 1000;
  const auto add = [&](RowId task, int n, int units) {
    Record record;
    record.session = sample.session;
    record.task = task;
    record.trial = ++trial;
    record.program = fmt::format("program {:02}", n);
    record.steps = {AnnotationStep{2, n % 3, Annotation::Parallel}};
    if (units > 0) {
      record.result.seconds = {units * 1e-5};
    } else {
      record.result.verdict = Verdict::RunError;
      record.result.error = "it crashed";
    }
    store.records().add(record);
  };
  for (int n = 0; n < 12; ++n) {
    add(row.id, n, 10 + n);
    add(elsewhere, n, n == 5 ? -1 : n == 3 ? 9 : 21 - n);
  }
}

QTableView* tableOf(TravelView& view, const char* name) {
  return view.findChild<QTableView*>(QLatin1String(name));
}

class TravelPanel : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }

  void oneTargetSaysHowToGetASecond() {
    const auto sample = makeSample(60);
    Document document;
    TravelView view(document);
    QVERIFY(view.note().contains("Open a document"));
    view.setVisible(true);
    openSample(document, *sample);
    QTRY_VERIFY2(view.note().contains("all records are of one target, test"),
                 qPrintable(view.note()));
    QVERIFY(view.note().contains(
        QStringLiteral("nestwright measure --db %1 --isa sse4.2").arg(sample->path)));
    QVERIFY(view.isEmpty());
    QVERIFY(!view.seedButton()->isEnabled());
  }

  void twoTargetsAreCompared() {
    const auto sample = makeSample(60);
    measureElsewhere(*sample);
    Document document;
    TravelView view(document);
    for (QTableView* table : {view.matrix(), view.programs(), view.portfolio()}) {
      QVERIFY(!table->accessibleName().isEmpty());
      new QAbstractItemModelTester(table->model(), table);
    }
    view.resize(1000, 700);
    view.setVisible(true);
    openSample(document, *sample);
    QTRY_VERIFY2(!view.isEmpty(), qPrintable(view.note()));
    QCOMPARE(view.tasks()->count(), 2); // all, and the one on both
    // The sample's own programs of the task are on its target alone; 11 of 12 ran on both.
    const QModelIndex cell = view.matrix()->model()->index(0, 1);
    QVERIFY(cell.data(Qt::ToolTipRole).toString().contains("11 programs of 1 task ran"));
    // Of 55 pairs, the 10 with program 3: it is faster than all on the second, on the first slower
    // than 3 of them. The other 45 are turned round: (7 - 48) / 55.
    QVERIFY(std::abs(cell.data(ExportRole).toDouble() + 41.0 / 55) < 1e-7);
    QCOMPARE(view.matrix()->model()->index(1, 0).data(), cell.data());
    QCOMPARE(view.plot()->pointCount(), 12);
    QVERIFY(view.note().contains("is good on all targets"));

    QCOMPARE(view.portfolio()->model()->rowCount(), 2); // each target's best
    const QList<QSlider*> sliders = view.findChildren<QSlider*>();
    QCOMPARE(sliders.size(), 2);
    sliders[1]->setValue(1);
    QCOMPARE(view.most()->value(), 1);
    QTRY_COMPARE(view.portfolio()->model()->rowCount(), 1);
    QVERIFY2(view.note().contains("of 1 task it is not good on all targets"),
             qPrintable(view.note()));
    // Within 30 % program 3 is enough.
    view.within()->setValue(30);
    QTRY_VERIFY2(view.note().contains("is good on all targets"), qPrintable(view.note()));
    QCOMPARE(view.portfolio()->model()->rowCount(), 1);
    QCOMPARE(view.portfolio()->model()->index(0, 2).data().toString(),
             QStringLiteral("within 30 % of the best on all 2 targets"));

    // A program that is chosen is selected everywhere.
    view.programs()->setCurrentIndex(view.programs()->model()->index(0, 0));
    const Selection selected = document.selection().current();
    QCOMPARE(selected.task, sample->tasks[0]);
    QVERIFY(selected.record > 0);
    // Its numbers are there to read and to export.
    const Exports exports = view.exports();
    QVERIFY(exports.table && exports.draw);
    QCOMPARE(exports.more.size(), std::size_t{2});
  }

  /// The button writes the file, and the window opens a new session with it.
  void seedsBeginANewSession() {
    const auto sample = makeSample(60);
    measureElsewhere(*sample);
    MainWindow window{coreCatalogue()};
    window.resize(1280, 800);
    window.show();
    window.openFile(sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    window.panels().raise(QStringLiteral("travel"));
    auto& view = *window.panels().view<TravelView>();
    QTRY_VERIFY2(!view.isEmpty(), qPrintable(view.note()));
    QString seeds;
    QTimer closer;
    connect(&closer, &QTimer::timeout, this, [&] {
      auto* dialog = qobject_cast<NewSessionDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      seeds = QString::fromStdString(dialog->config().seeds);
      dialog->reject();
    });
    closer.start(50);
    view.seedButton()->click();
    QTRY_VERIFY(!seeds.isEmpty());
    const std::vector<SeedProgram> programs = readSeeds(seeds.toStdString());
    QCOMPARE(programs.size(), std::size_t(view.portfolio()->model()->rowCount()));
    QVERIFY(programs[0].reason.starts_with("within 5 % of the best on"));
  }

  void whatCannotBeReadIsSaid() {
    const auto sample = makeSample(60);
    measureElsewhere(*sample);
    Document document;
    TravelView view(document);
    view.setVisible(true);
    openSample(document, *sample);
    QTRY_VERIFY(!view.isEmpty());
    QVERIFY(QFile::rename(sample->path, sample->path + ".away"));
    view.reader().read(true);
    QTRY_VERIFY(!view.reader().isReading());
    QTRY_VERIFY2(view.note().contains("there is no file"), qPrintable(view.note()));
    QVERIFY(QFile::rename(sample->path + ".away", sample->path));
    view.reader().read(true);
    QTRY_VERIFY(!view.isEmpty());
  }

  void readingIsStopped() {
    const auto sample = makeSample(900);
    measureElsewhere(*sample);
    Document document;
    TravelView view(document);
    openSample(document, *sample);
    view.reader().read();
    QVERIFY(view.reader().isReading());
    view.reader().stop();
    QVERIFY(!view.reader().isReading());
    QVERIFY2(view.note().contains("Reading was stopped"), qPrintable(view.note()));
    view.reader().read(true);
    QTRY_VERIFY(!view.isEmpty());
  }

 private:
  QTemporaryDir settings_;
};

NW_TEST_GUI(TravelPanel)

} // namespace nestwright::travel_panel_test

#include "travel_panel.moc"
