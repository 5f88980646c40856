/// The page on which the data of cost models is chosen.

#include "ui/lab/data_view.h"

#include "core/dataset/choice_file.h"
#include "tests/dataset/recorded.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/document_file.h"
#include "ui/document/program_drag.h"
#include "ui/lab/choice_form.h"
#include "ui/lab/file_list.h"
#include "ui/lab/label_plot.h"
#include "ui/lab/share_model.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

namespace nestwright::data_view_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// The view of a document with 600 records of three tasks.
struct Seen {
  std::unique_ptr<Sample> sample = makeSample(600);
  Document document;
  DataView view{document};
  Seen() {
    view.resize(900, 800);
    view.show();
    openSample(document, *sample);
  }
  bool isRead() { return !view.isReading() && !view.story().tasks.empty(); }
  QToolButton* button(const QString& text) const {
    for (auto* button : view.findChildren<QToolButton*>())
      if (button->text() == text) return button;
    return nullptr;
  }
};

/// Types it, and leaves the line.
void type(QLineEdit* line, const QString& text) {
  line->selectAll();
  QTest::keyClicks(line, text);
  QTest::keyClick(line, Qt::Key_Return);
}

void choose(QComboBox* box, int index) {
  box->setCurrentIndex(index);
  Q_EMIT box->activated(index);
}

class DataViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }

  void theOpenDocumentIsTheFirstFile() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    QCOMPARE(seen.view.form()->files()->count(), 1);
    QVERIFY(seen.view.form()->files()->item(0)->text().contains("this document"));
    QCOMPARE(seen.view.shares()->rowCount(), 3);
    QVERIFY2(seen.view.verdict().startsWith(QStringLiteral("✓")), qPrintable(seen.view.verdict()));
    QVERIFY2(seen.view.words().contains("600 programs of 3 tasks, 60 failed"),
             qPrintable(seen.view.words()));
    const DataShare& first = seen.view.shares()->row(0);
    QCOMPARE(first.programs(), std::size_t{200});
    QCOMPARE(first.train + first.validation, std::size_t{200});
    QAbstractItemModelTester tester(seen.view.shares());
  }

  void partsFollowTheForm() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    QSignalSpy changed(&seen.view, &DataView::choiceChanged);
    choose(seen.view.form()->split(), int(SplitKind::WithinTasks));
    QCOMPARE(changed.size(), 1);
    QTRY_VERIFY(seen.isRead() && seen.view.story().survey.test.programs > 0);
    QCOMPARE(seen.view.story().survey.test.programs, std::size_t{60});
    for (int row = 0; row < 3; ++row)
      QCOMPARE(seen.view.shares()
                   ->index(row, ShareModel::Split)
                   .data(SharesRole)
                   .value<QVector<double>>()
                   .size(),
               int(kDataParts.size()));
    // Nothing is left: it says so, and shows what there is.
    seen.view.form()->leastPrograms()->setValue(10'000);
    QTRY_VERIFY(seen.view.verdict().contains("nothing is left to learn from"));
    QVERIFY(seen.view.verdict().startsWith(QStringLiteral("✗")));
    QCOMPARE(seen.view.shares()->rowCount(), 3);
  }

  void whatCannotBeReadIsSaid() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    type(seen.view.form()->filter(), QStringLiteral("latncy<1ms"));
    QTRY_VERIFY2(seen.view.verdict().startsWith(QStringLiteral("✗ Nothing to train on")),
                 qPrintable(seen.view.words()));
    QVERIFY(seen.view.verdict().contains("latncy"));
    type(seen.view.form()->filter(), QStringLiteral("trial:1..300"));
    QTRY_VERIFY(seen.isRead());
    QCOMPARE(seen.view.story().survey.all.programs, std::size_t{300});
  }

  void heldOutNetworksHaveTheirBar() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    choose(seen.view.form()->split(), int(SplitKind::ByNetwork));
    type(seen.view.form()->holdOut(), QStringLiteral("sample"));
    QTRY_VERIFY(!seen.view.isReading() && seen.view.story().networks.size() == 1 &&
                seen.view.story().networks.front().heldOut);
    seen.view.showTasks(false);
    QCOMPARE(seen.view.shares()->rowCount(), 1);
    QVERIFY(seen.view.shares()->index(0, 0).data().toString().startsWith(QStringLiteral("⊘")));
    // All tasks are of the network: nothing is left to learn from.
    QVERIFY(seen.view.verdict().startsWith(QStringLiteral("✗")));
  }

  void filesAndRecordsAreDropped() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    const auto other = makeSample(300);
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(other->path)});
    const auto drop = [&](QMimeData* data) {
      QDragEnterEvent enter(QPoint(50, 300), Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(&seen.view, &enter);
      QVERIFY(enter.isAccepted());
      QDropEvent dropped(QPointF(50, 300), Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(&seen.view, &dropped);
    };
    drop(&files);
    QCOMPARE(seen.view.form()->files()->count(), 2);
    QTRY_VERIFY(!seen.view.isReading() && seen.view.story().choice.files.size() == 2);
    // The same programs: they are put together.
    QCOMPARE(seen.view.story().survey.all.programs, std::size_t{600});
    QVERIFY2(seen.view.words().contains("300 measure a program once more"),
             qPrintable(seen.view.words()));
    // Delete takes the file out again.
    seen.view.form()->files()->setCurrentRow(1);
    QTest::keyClick(seen.view.form()->files(), Qt::Key_Delete);
    QCOMPARE(seen.view.choice().files.size(), std::size_t{1});

    std::vector<ProgramRef> programs;
    for (int i = 0; i < 5; ++i)
      programs.push_back({seen.sample->path,
                          seen.sample->tasks[0],
                          seen.sample->records[std::size_t(i)],
                          false,
                          {}});
    const std::unique_ptr<QMimeData> records(toMimeData(programs));
    drop(records.get());
    QTRY_VERIFY(!seen.view.isReading() && seen.view.story().survey.all.programs == 5);
    QVERIFY(seen.view.form()->filter()->text().startsWith("record:"));
  }

  void aChoiceIsSavedAndOpened() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    choose(seen.view.form()->split(), int(SplitKind::ByTask));
    const QString file = settings_.filePath(QStringLiteral("set.json"));
    seen.view.saveChoice(file);
    QTRY_VERIFY(QFile::exists(file));
    QCOMPARE(readChoice(file.toStdString()), seen.view.choice());
    seen.button(QStringLiteral("Copy as Command"))->click();
    QVERIFY(QGuiApplication::clipboard()->text().endsWith(QStringLiteral("--split by-task")));
    choose(seen.view.form()->split(), int(SplitKind::None));
    seen.view.openChoice(file);
    QTRY_COMPARE(seen.view.choice().split, SplitKind::ByTask);
    QCOMPARE(seen.view.form()->split()->currentIndex(), int(SplitKind::ByTask));
    seen.view.openChoice(seen.sample->path);
    QTRY_VERIFY(seen.view.words().contains("no JSON"));
  }

  void itIsFoundAgain() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    choose(seen.view.form()->split(), int(SplitKind::ByTask));
    const nlohmann::json state = seen.view.viewState();
    QVERIFY(state.dump().find(seen.sample->path.toStdString()) == std::string::npos);
    choose(seen.view.form()->split(), int(SplitKind::None));
    seen.view.restoreViewState(state);
    QCOMPARE(seen.view.choice().split, SplitKind::ByTask);
    QCOMPARE(seen.view.choice().files, std::vector<std::string>{seen.sample->path.toStdString()});
    seen.view.restoreViewState(nlohmann::json::object());
    QCOMPARE(seen.view.choice().split, SplitKind::None);
    seen.view.restoreViewState({{"choice", {{"files", 7}}}, {"tasks", "no"}});
    QCOMPARE(seen.view.choice().files.size(), std::size_t{1});
  }

  void numbersAndPicturesAreGivenAway() {
    Seen seen;
    QTRY_VERIFY(seen.isRead());
    Exports exports = seen.view.exports();
    QCOMPARE(rowsOf(exports), 3);
    QVERIFY(exports.text.contains("600 programs"));
    QCOMPARE(exports.more.size(), std::size_t{1});
    int rows = 0;
    exports.more.front().table.rows([&](const QStringList&) { return ++rows > 0; });
    QCOMPARE(rows, 11); // ten labels and the failed ones
    QVERIFY(!pictureOf(exports).isNull());
    QTest::keyClick(seen.view.labels(), Qt::Key_Right);
    QVERIFY(seen.view.labels()->readout().contains("60 programs failed"));
  }

  void anEmptyWindowSaysWhatToDo() {
    Document document;
    DataView view(document);
    view.show();
    QVERIFY2(view.words().contains("Open a document"), qPrintable(view.words()));
    QVERIFY(view.verdict().isEmpty());
  }

  /// Ten thousand tasks are sorted within a frame or two of a slow machine.
  void tenThousandTasksAreSorted() {
    std::vector<DataShare> shares;
    for (int i = 0; i < 10'000; ++i) {
      DataShare share;
      share.name = fmt::format("Conv 3x3 {}->{}", i * 7919 % 10'007, i);
      share.train = std::size_t(i * 31 % 997);
      shares.push_back(share);
    }
    ShareModel model;
    QTableView table;
    table.setModel(&model);
    QElapsedTimer timer;
    timer.start();
    model.show(shares);
    model.sort(ShareModel::Name, Qt::AscendingOrder);
    model.sort(ShareModel::Train, Qt::DescendingOrder);
    qInfo("shown and sorted twice in %lld ms", timer.elapsed());
    for (int row = 1; row < model.rowCount(); ++row)
      QVERIFY(model.row(row - 1).train >= model.row(row).train);
  }

 private:
  QTemporaryDir settings_;
};

NW_TEST_GUI(DataViewTest)

} // namespace nestwright::data_view_test

#include "data_view.moc"
