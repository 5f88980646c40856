/// What a new session would tune is told before it is made.

#include "ui/window/new_session/preview_form.h"

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/form_fields.h"
#include "tests/ui/own_settings.h"
#include "ui/document/settings.h"
#include "ui/kit/format.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/new_session/preview_task_model.h"
#include "ui/window/new_session/subgraph_form.h"

#include <QFileInfo>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSemaphore>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QThreadPool>
#include <QToolButton>

#include <atomic>

namespace nestwright::preview_form_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

PreviewWish wish(const char* subject) {
  PreviewWish wish;
  wish.subjects = {subject};
  wish.memory = {"/some/where/tuned.nwdb"};
  return wish;
}

/// Two tasks, of which one is known.
SubjectPreview twoTasks() {
  SubjectPreview preview;
  preview.tasks = {{"conv2d 56x56 64->64 k3", 4, 1e9, {}},
                   {"dense 512->1000", 1, 1e6, {2.5e-3, 300, "/some/where/tuned.nwdb"}}};
  preview.suggestedTrials = 1700;
  preview.secondsPerTrial = 0.5;
  return preview;
}

QPushButton* createButton(const NewSessionDialog& dialog) {
  for (QPushButton* button : dialog.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Create")) return button;
  return nullptr;
}

QLineEdit* field(const NewSessionDialog& dialog, const char* name) {
  for (QLineEdit* line : dialog.findChildren<QLineEdit*>())
    if (line->accessibleName() == QLatin1String(name)) return line;
  return nullptr;
}

class PreviewFormTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
    keepSettingsIn(settings_);
    Settings::setFolder(folder_.path());
  }

  void tasksAndAdviceAreTold() {
    PreviewForm form(nullptr, [](const PreviewWish&, const auto&) { return twoTasks(); });
    form.setTrials(1000);
    form.show();
    QVERIFY(!form.summary()->isVisible() && !form.tasksButton()->isVisible());
    form.setWish(wish("resnet18"));
    QVERIFY(form.summary()->text().contains(QStringLiteral("Reading")));
    QTRY_VERIFY(form.preview());
    QCOMPARE(form.summary()->text(), QStringLiteral("2 tasks, 4.001 GFLOP in one run. tuned.nwdb "
                                                    "knows a best of 1 of them on this target."));
    QVERIFY2(form.advice()->text().contains(QStringLiteral("1,700 trials")) &&
                 form.advice()->text().contains(durationText(850)) &&
                 form.advice()->text().contains(QStringLiteral("Your 1,000: about ") +
                                                durationText(500)),
             qPrintable(form.advice()->text()));
    QSignalSpy taken(&form, &PreviewForm::suggestionTaken);
    form.takeButton()->click();
    QCOMPARE(taken.count(), 1);
    QCOMPARE(taken.front().front().toLongLong(), 1700);
    form.setTrials(1700);
    QVERIFY(!form.takeButton()->isVisible());

    QVERIFY(!form.table()->isVisible());
    form.tasksButton()->click();
    QVERIFY(form.table()->isVisible());
    const QAbstractItemModel& table = *form.table()->model();
    QCOMPARE(table.rowCount(), 2);
    const auto cell = [&](int row, int column) {
      return table.index(row, column).data().toString();
    };
    QCOMPARE(cell(0, PreviewTaskModel::Work), flopsText(4e9));
    QCOMPARE(cell(0, PreviewTaskModel::Known), noValue());
    QCOMPARE(cell(1, PreviewTaskModel::Known), timeText(2.5e-3));
    QCOMPARE(cell(1, PreviewTaskModel::Trials), QStringLiteral("300"));
  }

  void aMissingInstructionIsTold() {
    PreviewWish bytes;
    bytes.subjects = {"matmul:m=8,n=8,k=8,int8=1"}, bytes.target = "llvm:plain"; // it uses none
    QVERIFY(!previewSubjects(bytes).missingInstruction.empty());
    bytes.isElsewhere = true;
    QVERIFY(previewSubjects(bytes).missingInstruction.empty());
    PreviewForm form(nullptr, [](const PreviewWish&, const auto&) {
      SubjectPreview preview = twoTasks();
      preview.missingInstruction = "programs for this target widen bytes";
      return preview;
    });
    form.show();
    form.setWish(wish("resnet18"));
    QTRY_VERIFY(form.preview());
    QVERIFY2(
        form.summary()->text().endsWith(QStringLiteral("\nPrograms for this target widen bytes.")),
        qPrintable(form.summary()->text()));
  }

  void unsupportedOperatorsAreListed() {
    PreviewForm form(nullptr, [](const PreviewWish&, const auto&) {
      SubjectPreview preview;
      preview.problem = "the operator is not supported";
      preview.unsupported = {{"com.vendor.Gelu", {"a", "b", "c", "d"}}, {"Unheard", {"first"}}};
      return preview;
    });
    form.show();
    form.setWish(wish("model.onnx"));
    QTRY_VERIFY(!form.problem().isEmpty());
    QCOMPARE(form.problem(), QStringLiteral("2 operators of this model cannot be imported.\n"
                                            "com.vendor.Gelu: 4 nodes (a, b, c, …)\n"
                                            "Unheard: 1 node (first)"));
    QVERIFY(!form.tasksButton()->isVisible() && !form.takeButton()->isVisible());
  }

  /// What is typed on is not waited for, and its late answer is none.
  void theNewestQuestionCounts() {
    QSemaphore mayEnd;
    PreviewForm form(nullptr, [&mayEnd](const PreviewWish& wish, const auto& check) {
      if (wish.subjects.front() == "slow") mayEnd.acquire();
      check();
      SubjectPreview preview = twoTasks();
      preview.tasks.resize(wish.subjects.front() == "slow" ? 2 : 1);
      return preview;
    });
    form.setWish(wish("slow"));
    QTest::qWait(500); // it has begun
    form.setWish(wish("quick"));
    QTRY_VERIFY(form.preview());
    QCOMPARE(form.preview()->tasks.size(), std::size_t(1));
    mayEnd.release();
    QTest::qWait(100);
    QCOMPARE(form.preview()->tasks.size(), std::size_t(1));
  }

  /// Qt scales what it paints on its own threads: none of them may be waiting for a file.
  void paintingDoesNotWaitForTheAnswer() {
    QThreadPool& threads = *QThreadPool::globalInstance();
    const int before = threads.maxThreadCount();
    threads.setMaxThreadCount(1);
    QSemaphore begun, mayEnd;
    std::atomic<bool> late = false;
    PreviewForm form(nullptr, [&](const PreviewWish&, const auto&) {
      begun.release();
      late = !mayEnd.tryAcquire(1, 10'000);
      return twoTasks();
    });
    form.setWish(wish("slow"));
    QTRY_VERIFY(begun.available() > 0);
    QGroupBox box(QStringLiteral("What to tune"));
    box.resize(1200, 900);
    box.grab();
    QVERIFY(!late);
    mayEnd.release();
    QTRY_VERIFY(form.preview());
    threads.setMaxThreadCount(before);
  }

  void aBrokenFileIsToldInTheDialogAtOnce_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("text");
    QTest::newRow("no model") << "text.onnx"
                              << "is no ONNX model";
    QTest::newRow("operator") << "unknown_operator.onnx"
                              << "cannot be imported";
    QTest::newRow("no value") << "symbolic.onnx"
                              << "have no value";
  }
  void aBrokenFileIsToldInTheDialogAtOnce() {
    QFETCH(QString, file);
    QFETCH(QString, text);
    NewSessionDialog dialog(coreCatalogue());
    dialog.show();
    dialog.setSubject(QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/broken/") + file);
    QTRY_VERIFY(says(dialog, text));
    QVERIFY(!createButton(dialog)->isEnabled());
    QVERIFY(dialog.problem().contains(text));
    dialog.setSubject(QStringLiteral("matmul:m=32,n=32,k=32"));
    QTRY_VERIFY(createButton(dialog)->isEnabled());
    QVERIFY(!says(dialog, text));
  }

  /// What can be tuned of a file that cannot be imported is cut out, beside it, and is the choice.
  void aFileIsCutInTheDialog() {
    const QString model = folder_.filePath("of a vendor.onnx");
    QVERIFY(QFile::copy(NESTWRIGHT_TEST_DATA "/onnx/broken/partly_supported.onnx", model));
    NewSessionDialog dialog(coreCatalogue());
    dialog.show();
    dialog.setSubject(model);
    auto* const form = dialog.findChild<SubgraphForm*>();
    QTRY_VERIFY(form->cutButton()->isVisible());
    QVERIFY(!createButton(dialog)->isEnabled());
    form->cutButton()->click();
    QVERIFY(!form->cutButton()->isEnabled());
    QTRY_VERIFY(createButton(dialog)->isEnabled());
    const std::string place = folder_.filePath("of a vendor_subgraphs/of a vendor_").toStdString();
    QCOMPARE(dialog.config().subjects,
             (std::vector<std::string>{place + "1.onnx", place + "2.onnx"}));
    QTRY_VERIFY(says(dialog, QStringLiteral("2 tasks, ")));
    QVERIFY(!form->isVisible());

    dialog.setSubject(model); // once more: what was written stays
    QTRY_VERIFY(form->cutButton()->isVisible());
    form->cutButton()->click();
    QTRY_VERIFY(dialog.config().subjects.front().find("_subgraphs_2/") != std::string::npos);
  }

  void whatCannotBeCutIsSaid() {
    const QString model = folder_.filePath("odd.onnx");
    QVERIFY(QFile::copy(NESTWRIGHT_TEST_DATA "/onnx/broken/unknown_operator.onnx", model));
    NewSessionDialog dialog(coreCatalogue());
    dialog.show();
    dialog.setSubject(model);
    auto* const form = dialog.findChild<SubgraphForm*>();
    QTRY_VERIFY(form->cutButton()->isVisible());
    form->cutButton()->click();
    QTRY_COMPARE(form->outcome()->text(),
                 QStringLiteral("Nothing in this model is worth cutting out."));
    QVERIFY(form->cutButton()->isEnabled());
    QFile::remove(model);
    form->cutButton()->click();
    QTRY_VERIFY(form->outcome()->text().contains("does the file exist"));
    dialog.setSubject(QStringLiteral("matmul:m=32,n=32,k=32"));
    QTRY_VERIFY(!form->isVisible());
  }

  void anOnnxFileIsPreviewedInTheDialog() {
    NewSessionDialog dialog(coreCatalogue());
    dialog.show();
    dialog.setSubject(
        QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_encoder_sequence_first.onnx"));
    QTRY_VERIFY(says(dialog, QStringLiteral(" in one run.")));
    const auto* form = dialog.findChild<PreviewForm*>();
    QVERIFY(form->preview()->tasks.size() > 1);
    form->takeButton()->click();
    QCOMPARE(dialog.config().trials, form->preview()->suggestedTrials);
    QVERIFY(!form->takeButton()->isVisible());
  }

 private:
  QTemporaryDir settings_, folder_;
};

NW_TEST_GUI(PreviewFormTest)

} // namespace nestwright::preview_form_test

#include "preview_form.moc"
