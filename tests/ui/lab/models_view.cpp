/// The page on which cost models are compared.

#include "ui/lab/models_view.h"

#include "core/dataset/model_file.h"
#include "core/feature/program_features.h"
#include "core/plugin/plugin.h"
#include "core/tensor/definition.h"
#include "tests/dataset/recorded.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/charts/series_plot.h"
#include "ui/lab/agreement_plot.h"
#include "ui/lab/figure_model.h"
#include "ui/lab/figure_table.h"
#include "ui/lab/file_list.h"
#include "ui/lab/judged_task_model.h"
#include "ui/lab/learning_curves_page.h"
#include "ui/lab/order_plot.h"
#include "ui/lab/two_models_page.h"
#include "ui/lab/worst_tasks_page.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QMimeData>
#include <QTest>
#include <QToolButton>

namespace nestwright::models_view_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;
using test::product;
using test::RecordedFile;

/// Three products of 64 programs each, and a model that learned from the first two.
struct Trained {
  QTemporaryDir folder;
  DataChoice choice;
  ModelFile file;
  QString model;

  Trained() {
    {
      RecordedFile file(path("a.nwdb"));
      const RowId target = file.target("zen");
      for (const int size : {128, 256, 512}) {
        const ComputeDag dag = product(size);
        file.addMany(file.task(dag, target), dag, 64);
      }
    }
    choice.files = {path("a.nwdb")};
    const RecordedData data = readData(openFiles(choice), choice);
    std::vector<std::size_t> learned;
    file = {"xgboost", data.features, data.targets.front().id, choice, {}, {}, {}};
    for (std::size_t i = 0; i < data.set.size(); ++i)
      if (data.set.outcomes[i].task < 2) {
        learned.push_back(i);
        file.tasks.insert(data.tasks[data.set.outcomes[i].task].definition);
      }
    const auto trained = costModel("xgboost");
    trained->update(select(data.set, learned));
    file.bytes = trained->save();
    model = write("trees.nwm", modelFileBytes(file));
  }

  /// The same model as if it had learned from so many programs of each task.
  QString sized(const char* name, std::size_t drawn, int seed) const {
    ModelFile other = file;
    other.choice.drawnPrograms = drawn;
    other.choice.seed = std::uint64_t(seed);
    other.options = {{"seed", seed}, {"loss", "mse"}};
    other.programs = 2 * drawn;
    return write(name, modelFileBytes(other));
  }
  std::string path(const char* name) const {
    return folder.filePath(QString::fromUtf8(name)).toStdString();
  }
  QString write(const char* name, const std::string& bytes) const {
    QFile file(folder.filePath(QString::fromUtf8(name)));
    file.open(QIODevice::WriteOnly);
    file.write(bytes.data(), qint64(bytes.size()));
    return file.fileName();
  }
};

struct Seen {
  const Trained& trained;
  std::unique_ptr<Sample> sample = makeSample(30);
  Document document;
  ModelsView view{document};
  explicit Seen(const Trained& of) : trained(of) {
    view.resize(1000, 700);
    view.show();
    openSample(document, *sample);
    view.setChoice(of.choice);
  }
  QToolButton* button(const QString& text) const {
    for (auto* button : view.findChildren<QToolButton*>())
      if (button->text() == text) return button;
    return nullptr;
  }
  void compare() {
    button(QStringLiteral("Compare"))->click();
    QVERIFY(view.isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!view.isBusy(), 60'000);
    QVERIFY2(view.judged(), qPrintable(view.words()));
  }
};

class ModelsViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(settings_);
    trained_ = std::make_unique<Trained>();
  }

  void modelsStandBesideTheYardsticks() {
    Seen seen(*trained_);
    QVERIFY2(seen.view.words().contains("Add models"), qPrintable(seen.view.words()));
    seen.view.addModels({trained_->model});
    QCOMPARE(seen.view.list()->count(), 1);
    seen.compare();
    QStringList titles;
    for (int column = 0; column < seen.view.figures()->rows()->columnCount(); ++column)
      titles << seen.view.figures()->rows()->headerData(column, Qt::Horizontal).toString();
    QCOMPARE(titles, (QStringList{"Figure", "random", QStringLiteral("trees.nwm ⚠"), "oracle"}));
    QVERIFY2(seen.view.words().contains("learned from 2 of these 3 tasks"),
             qPrintable(seen.view.words()));
    const ModelEvaluation& evaluation = seen.view.judged()->evaluation;
    QCOMPARE(evaluation.tasks.size(), std::size_t{3});
    // Networks come first, and the oracle is perfect.
    QCOMPARE(seen.view.figures()->rows()->id(0).figure, Figure::Network);
    QVERIFY(seen.view.figures()->rows()->index(0, 3).data().toString().startsWith("1.000"));
    QAbstractItemModelTester tester(seen.view.figures()->rows());
    // The figures are of the favourites that are chosen.
    seen.view.favourites()->setCurrentIndex(0);
    QCOMPARE(seen.view.figures()->rows()->id(0).k, std::size_t{1});
    for (int row = 0; row < seen.view.figures()->rows()->rowCount(); ++row)
      QVERIFY(seen.view.figures()->rows()->index(row, 0).data(Qt::ToolTipRole).toString().size() >
              30);
  }

  /// Trees of steps without their splits, which are all that the programs have.
  void whatAModelDoesNotKnowIsSaid() {
    PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    std::erase_if(vocabulary.kinds, [](const PrimitiveKind& kind) { return kind.tag == "SP"; });
    DataChoice choice = trained_->choice;
    choice.features = stepFeaturesText({vocabulary, publishedShape(vocabulary, false)});
    const RecordedData data = readData(openFiles(choice), choice);
    ModelFile file{"xgboost", choice.features, data.targets.front().id, choice, {}, {}, {}};
    const auto model = costModel("xgboost");
    model->update(data.set);
    file.bytes = model->save();
    Seen seen(*trained_);
    seen.view.addModels({trained_->model, trained_->write("steps.nwm", modelFileBytes(file))});
    seen.compare();
    QCOMPARE(seen.view.judged()->unseen.size(), std::size_t{1});
    QVERIFY2(seen.view.words().contains(
                 QStringLiteral("⚠ steps.nwm: the model knows no such steps: SP (")),
             qPrintable(seen.view.words()));
  }

  void twoModelsAreToldApart() {
    Seen seen(*trained_);
    seen.view.addModels({trained_->model});
    seen.compare();
    seen.view.showPage(ModelsView::Page::TwoModels);
    QCOMPARE(seen.view.twoModels()->first()->currentText(), QStringLiteral("trees.nwm"));
    QCOMPARE(seen.view.twoModels()->second()->currentText(), QStringLiteral("random"));
    const Exports exports = seen.view.exports();
    QVERIFY2(exports.text.startsWith("trees.nwm less random"), qPrintable(exports.text));
    QCOMPARE(rowsOf(exports), 3);
    QVERIFY(!pictureOf(exports).isNull());
    // A click on a point looks at its task.
    for (int task = 0; task < 3; ++task) {
      const std::optional<QPointF> at = seen.view.twoModels()->agreement()->pixelOf(task);
      QVERIFY(at);
      seen.view.chooseTask(-1);
      QTest::mouseClick(seen.view.twoModels()->agreement(), Qt::LeftButton, {}, at->toPoint());
      QVERIFY(seen.view.task() >= 0);
    }
    QTest::keyClick(seen.view.twoModels()->agreement(), Qt::Key_Right);
    QVERIFY(seen.view.task() >= 0);
  }

  void theWorstTaskIsFirst() {
    Seen seen(*trained_);
    seen.view.addModels({trained_->model});
    seen.compare();
    seen.view.showPage(ModelsView::Page::WorstTasks);
    const JudgedTaskModel& worst = *seen.view.worstTasks()->tasks();
    QCOMPARE(worst.rowCount(), 3);
    for (int row = 1; row < 3; ++row)
      QVERIFY(worst.row(row - 1).score <= worst.row(row).score);
    QCOMPARE(seen.view.task(), worst.row(0).task);
    QCOMPARE(seen.view.worstTasks()->order()->programs().size(), std::size_t{64});
    seen.view.chooseTask(worst.row(2).task);
    QCOMPARE(seen.view.worstTasks()->order()->programs(),
             judgedPrograms(*seen.view.judged(), std::size_t(worst.row(2).task), 0));
    QTest::keyClick(seen.view.worstTasks()->order(), Qt::Key_Down);
    QVERIFY(seen.view.worstTasks()->order()->readout().startsWith("Rank 1 of 64"));
    QCOMPARE(seen.view.exports().more.size(), std::size_t{1});
    QAbstractItemModelTester tester(seen.view.worstTasks()->tasks());
  }

  /// Models that differ by their seeds are one point of a curve, those that learned from less
  /// another one.
  void moreDataIsACurve() {
    Seen seen(*trained_);
    seen.view.addModels({trained_->sized("a.nwm", 60, 0), trained_->sized("b.nwm", 20, 0),
                         trained_->sized("c.nwm", 60, 1)});
    seen.compare();
    seen.view.showPage(ModelsView::Page::LearningCurves);
    LearningCurvesPage& page = *seen.view.learningCurves();
    const SeriesScene& scene = page.plot()->scene();
    QVERIFY(scene.message.isEmpty());
    QCOMPARE(scene.stops, (std::vector<double>{40, 120}));
    QCOMPARE(scene.references.size(), std::size_t{2});
    QVERIFY2(scene.describe(120).startsWith("xgboost, mse: ") &&
                 scene.describe(120).contains("2 models"),
             qPrintable(scene.describe(120)));
    const Exports exports = seen.view.exports();
    QCOMPARE(rowsOf(exports), 2);
    QVERIFY(!pictureOf(exports).isNull());
    // Another number of favourites is of the same figure.
    const QString before = page.figure()->currentText();
    QVERIFY2(before.startsWith("Top-5, mean"), qPrintable(before));
    seen.view.favourites()->setCurrentIndex(0);
    QVERIFY2(page.figure()->currentText().startsWith("Top-1, mean"),
             qPrintable(page.figure()->currentText()));
  }

  /// What does not say how much it learned from is no point, and the page says what to do.
  void withoutSizesThereIsNoCurve() {
    Seen seen(*trained_);
    seen.view.addModels({trained_->model});
    seen.compare();
    seen.view.showPage(ModelsView::Page::LearningCurves);
    QVERIFY(seen.view.learningCurves()->plot()->scene().series.empty());
    QVERIFY(seen.view.learningCurves()->plot()->scene().message.contains("Data Set"));
  }

  void whatCannotBeAskedIsLeftOut() {
    Seen seen(*trained_);
    QFile good(trained_->model);
    QVERIFY(good.open(QIODevice::ReadOnly));
    const QString cut =
        trained_->write("cut.nwm", good.readAll().left(int(good.size()) - 100).toStdString());
    seen.view.addModels({trained_->model, cut, trained_->folder.filePath("none.nwm")});
    seen.compare();
    QCOMPARE(seen.view.judged()->refused.size(), std::size_t{2});
    QVERIFY2(seen.view.words().contains(QStringLiteral("✗ cut.nwm is left out")) &&
                 seen.view.words().contains(QStringLiteral("✗ none.nwm is left out")),
             qPrintable(seen.view.words()));
    QCOMPARE(seen.view.figures()->rows()->columnCount(), 4);
    // Without data nothing is compared, and it says why.
    DataChoice none = trained_->choice;
    none.filter = "trial>1000000";
    seen.view.setChoice(none);
    QVERIFY(seen.view.words().contains("have changed since"));
    seen.button(QStringLiteral("Compare"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(!seen.view.isBusy(), 60'000);
    QVERIFY2(seen.view.words().contains("no record of"), qPrintable(seen.view.words()));
  }

  void modelsAreDroppedRemovedAndFoundAgain() {
    Seen seen(*trained_);
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(trained_->model)});
    QDragEnterEvent enter(QPoint(50, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&seen.view, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&seen.view, &drop);
    QCOMPARE(seen.view.models(), QStringList{trained_->model});
    const nlohmann::json state = seen.view.viewState();
    seen.view.list()->setCurrentRow(0);
    QTest::keyClick(seen.view.list(), Qt::Key_Delete);
    QVERIFY(seen.view.models().isEmpty());
    seen.view.restoreViewState(state);
    QCOMPARE(seen.view.models(), QStringList{trained_->model});
    seen.view.restoreViewState({{"models", 7}, {"k", "x"}, {"page", 99}});
    QVERIFY(seen.view.models().isEmpty());
  }

 private:
  QTemporaryDir settings_;
  std::unique_ptr<Trained> trained_;
};

NW_TEST_GUI(ModelsViewTest)

} // namespace nestwright::models_view_test

#include "models_view.moc"
