/// The page on which cost models are trained.

#include "ui/lab/training_view.h"

#include "core/dataset/choice_file.h"
#include "core/dataset/model_file.h"
#include "core/plugin/plugin.h"
#include "core/training/training_files.h"
#include "core/worker/quiet.h"
#include "tests/dataset/recorded.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/stalls.h"
#include "ui/charts/series_plot.h"
#include "ui/document/sample.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/lab/data_view.h"
#include "ui/lab/models_view.h"
#include "ui/lab/option_model.h"
#include "ui/lab/training_form.h"
#include "ui/lab/training_plots.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

namespace nestwright::training_view_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;
using test::product;
using test::RecordedFile;

constexpr int kPatience = 120'000; // milliseconds

/// Three products of 64 programs each, the last of which is tested on.
struct Data {
  QTemporaryDir folder;
  DataChoice choice;

  Data() {
    const std::string path = folder.filePath(QStringLiteral("records.nwdb")).toStdString();
    {
      RecordedFile file(path);
      const RowId target = file.target("zen");
      for (const int size : {128, 256, 512}) {
        const ComputeDag dag = product(size);
        file.addMany(file.task(dag, target), dag, 64);
      }
    }
    choice.files = {path};
    choice.split = SplitKind::ByTask;
    choice.testShare = 0.2;
  }
};

/// The page of a document, whose folder is where models go.
struct Seen {
  std::unique_ptr<Sample> sample = makeSample(30);
  SessionScript script;
  Document document{scripted(script)};
  TrainingView view{document};

  explicit Seen(const Data& data) {
    view.resize(1000, 800);
    view.show();
    openSample(document, *sample);
    view.setChoice(data.choice);
  }
  QToolButton* button(const QString& text) const {
    for (auto* button : view.findChildren<QToolButton*>())
      if (button->text() == text) return button;
    return nullptr;
  }
  const Training& training(int row) const { return view.list()->row(row); }
  QString folder() const { return sample->folder.path(); }
  void chooseModel(const QString& model) {
    view.form()->models()->setCurrentIndex(view.form()->models()->findText(model));
  }
  /// As a person changes it in the table.
  void setOption(const QString& name, const QString& value) {
    OptionModel& options = *view.form()->options();
    const int row = options.firstRow(
        [&](const TrainingOption& option) { return option.name == name.toStdString(); });
    QVERIFY2(row >= 0, qPrintable(name));
    options.setData(options.index(row, OptionModel::Value), value, Qt::EditRole);
  }
  void start() {
    QVERIFY2(view.form()->startButton()->isEnabled(), qPrintable(view.form()->words()));
    view.form()->startButton()->click();
    QVERIFY(view.isBusy());
    QCOMPARE(view.page(), TrainingView::Page::Trainings);
  }
  void wait() { QTRY_VERIFY_WITH_TIMEOUT(!view.isBusy(), kPatience); }
};

class TrainingViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    keepSettingsIn(settings_);
    data_ = std::make_unique<Data>();
  }

  void withoutDocumentOrDataItSaysWhatToDo() {
    Document document;
    TrainingView view(document);
    view.show();
    QVERIFY2(view.words().contains("Open a document"), qPrintable(view.words()));
    QVERIFY(!view.form()->isEnabled());
    Seen seen(*data_);
    seen.view.setChoice({});
    QVERIFY2(seen.view.form()->words().contains("Choose data on the page Data Set"),
             qPrintable(seen.view.form()->words()));
    QVERIFY(!seen.view.form()->startButton()->isEnabled());
    QTRY_VERIFY(!seen.view.isReading());
    QVERIFY2(seen.view.words().contains("No model was trained yet"), qPrintable(seen.view.words()));
    seen.view.showPage(TrainingView::Page::Trainings);
    QVERIFY(!seen.view.table()->isVisible());
    QCOMPARE(rowsOf(seen.view.exports()), 0);
  }

  void treesAreTrainedAndSeen() {
    Seen seen(*data_);
    QTRY_VERIFY(!seen.view.isReading());
    seen.chooseModel("xgboost");
    QCOMPARE(seen.view.form()->losses()->count(), 1);
    QCOMPARE(seen.view.form()->path()->text(), seen.folder() + "/xgboost.nwm");
    seen.setOption("maxTrees", "25");
    QAbstractItemModelTester options(seen.view.form()->options());
    QAbstractItemModelTester tester(seen.view.list());
    Stalls stalls;
    seen.start();
    seen.wait();
    stalls.report("training trees");
    QCOMPARE(seen.view.list()->rowCount(), 1);
    const Training& training = seen.training(0);
    QVERIFY2(training.course.state == TrainingState::Finished, qPrintable(seen.view.words()));
    QCOMPARE(training.course.curve.size(), std::size_t{25});
    QVERIFY(training.course.model->test && training.course.model->validation);
    const ModelFile written = readModelFile(training.file.toStdString());
    QCOMPARE(written.options.at("maxTrees").get<int>(), 25);
    QVERIFY(!QFile::exists(QString::fromStdString(wishFileOf(training.file.toStdString()))));
    // Its curve, its figures, and what it learned from.
    QCOMPARE(seen.view.plots()->losses()->scene().series.size(), std::size_t{1});
    QCOMPARE(seen.view.plots()->losses()->scene().series.front().y.size(), std::size_t{25});
    QVERIFY(seen.view.plots()->scores()->message().contains("Trees are judged at the end"));
    for (const char* part : {"Test: top-1 ", "Validation: top-1", "programs of 2 tasks to learn",
                             "Not as published: maxTrees 25"})
      QVERIFY2(seen.view.words().contains(part), qPrintable(seen.view.words()));
    QVERIFY(seen.view.list()->index(0, TrainingList::Tested).data().toString() != noValue());
    // Table and curves can be taken along.
    const Exports exports = seen.view.exports();
    QCOMPARE(rowsOf(exports), 1);
    QVERIFY(!pictureOf(exports).isNull());
    Exports curves;
    curves.table = exports.more.at(0).table;
    QCOMPARE(rowsOf(curves), 25);
    // It can be gone on with elsewhere.
    QSignalSpy compared(&seen.view, &TrainingView::compareWanted);
    QSignalSpy session(&seen.view, &TrainingView::sessionWanted);
    seen.button("Compare")->click();
    seen.button(QStringLiteral("New Session With It …"))->click();
    QCOMPARE(compared.at(0).at(0).toStringList(), QStringList{training.file});
    QCOMPARE(session.at(0).at(0).toString(), training.file);
    QVERIFY(!seen.button("Resume")->isEnabled());
    // The next one goes elsewhere.
    QCOMPARE(seen.view.form()->path()->text(), seen.folder() + "/xgboost-2.nwm");
  }

  void againWithOneChange() {
    Seen seen(*data_);
    seen.chooseModel("xgboost");
    seen.setOption("maxTrees", "10");
    seen.start();
    seen.wait();
    seen.chooseModel("mlp");
    DataChoice other = data_->choice;
    other.seed = 7;
    seen.view.setChoice(other);
    seen.button(QStringLiteral("Again With One Change …"))->click();
    QCOMPARE(seen.view.page(), TrainingView::Page::SetUp);
    const ModelWish& wish = seen.view.form()->wish();
    QCOMPARE(wish.model, std::string("xgboost"));
    QVERIFY(wish.data == data_->choice);
    QCOMPARE(wish.options.dump(), nlohmann::json({{"maxTrees", 10}}).dump());
    QVERIFY2(seen.view.form()->words().contains("A choice of its own"),
             qPrintable(seen.view.form()->words()));
    seen.setOption("maxDepth", "3");
    seen.start();
    seen.wait();
    QCOMPARE(seen.view.list()->rowCount(), 2);
    QCOMPARE(seen.training(0).file, seen.folder() + "/xgboost-2.nwm");
    QCOMPARE(seen.training(0).wish.options.dump(),
             nlohmann::json({{"maxTrees", 10}, {"maxDepth", 3}}).dump());
    // Both curves lie over one another; one can be taken away.
    QCOMPARE(seen.view.plots()->losses()->scene().series.size(), std::size_t{2});
    QVERIFY(seen.view.plots()->losses()->scene().series[0].colour !=
            seen.view.plots()->losses()->scene().series[1].colour);
    const QRect cell =
        seen.view.table()->visualRect(seen.view.list()->index(1, TrainingList::Shown));
    QTest::mouseClick(seen.view.table()->viewport(), Qt::LeftButton, {}, cell.center());
    QCOMPARE(seen.view.plots()->losses()->scene().series.size(), std::size_t{1});
    // The page's own data again.
    seen.button("Data Set Page")->click();
    QVERIFY(seen.view.form()->wish().data == other);
  }

  void stoppedTreesKeepNothing() {
    Seen seen(*data_);
    seen.chooseModel("xgboost");
    seen.setOption("maxTrees", "1000000");
    seen.setOption("patience", "1000000");
    seen.start();
    QTRY_VERIFY_WITH_TIMEOUT(seen.training(0).course.curve.size() > 3, kPatience);
    QVERIFY2(stateText(seen.training(0)).contains("tree "),
             qPrintable(stateText(seen.training(0))));
    QVERIFY(shareDone(seen.training(0)).has_value());
    // A second one waits, and begins when the first is over.
    seen.view.showPage(TrainingView::Page::SetUp);
    seen.setOption("maxTrees", "5");
    seen.start();
    QCOMPARE(stateText(seen.training(0)), QStringLiteral("waits for the one before"));
    seen.view.choose(seen.training(1).file);
    seen.button("Stop")->click();
    QTRY_VERIFY_WITH_TIMEOUT(seen.training(1).course.state == TrainingState::Stopped, 5'000);
    QVERIFY2(seen.view.words().contains("Trees keep nothing"), qPrintable(seen.view.words()));
    QVERIFY(!seen.button("Resume")->isEnabled());
    QVERIFY(!QFile::exists(seen.training(1).file));
    seen.wait();
    QVERIFY(seen.training(0).course.state == TrainingState::Finished);
    // Out of the list, not off the disk.
    const QString kept = seen.training(0).file;
    seen.view.choose(kept);
    seen.button("Remove")->click();
    QCOMPARE(seen.view.list()->rowCount(), 1);
    QVERIFY(QFile::exists(kept));
  }

  void whatFailsSaysWhy() {
    Seen seen(*data_);
    DataChoice none = data_->choice;
    none.filter = "trial>1000000";
    seen.view.setChoice(none);
    seen.chooseModel("xgboost");
    seen.start();
    seen.wait();
    QVERIFY(seen.training(0).course.state == TrainingState::Failed);
    QVERIFY2(seen.view.words().contains(QStringLiteral("✗")) &&
                 seen.view.words().contains("no record"),
             qPrintable(seen.view.words()));
    QVERIFY(!seen.button("Compare")->isEnabled() && !seen.button("Resume")->isEnabled());
    QVERIFY(seen.button(QStringLiteral("Again With One Change …"))->isEnabled());
    QVERIFY(!QFile::exists(seen.training(0).file));
  }

  void whatCannotBeginSaysWhy() {
    Seen seen(*data_);
    TrainingForm& form = *seen.view.form();
    form.setMissingLearner("There is no learner. To have it: apt-get install libtorch1.13");
    QVERIFY(form.problem().contains("apt-get install") && form.problem().contains("xgboost"));
    QVERIFY(!form.startButton()->isEnabled());
    seen.chooseModel("xgboost");
    QVERIFY2(form.problem().isEmpty(), qPrintable(form.problem()));
    // A value that cannot be is refused, and nothing changes.
    seen.setOption("maxTrees", "many");
    QVERIFY2(form.problem().contains("whole number"), qPrintable(form.problem()));
    QVERIFY(form.wish().options.empty());
    seen.setOption("maxTrees", "12");
    QVERIFY(form.problem().isEmpty());
    QVERIFY(form.options()->isChanged("maxTrees"));
    seen.button("As Published")->click();
    QVERIFY(form.wish().options.empty());
    // Nothing is overwritten, neither a model nor a training that was interrupted.
    const QString there = seen.folder() + "/there.nwm";
    QFile(there).open(QIODevice::WriteOnly);
    form.path()->setText(there);
    QVERIFY2(form.problem().contains("is there already"), qPrintable(form.problem()));
    QFile(seen.folder() + "/half.nwm.checkpoint").open(QIODevice::WriteOnly);
    form.path()->setText(seen.folder() + "/half.nwm");
    QVERIFY2(form.problem().contains("interrupted"), qPrintable(form.problem()));
    form.path()->setText(seen.folder() + "/none/x.nwm");
    QVERIFY2(form.problem().contains("no folder"), qPrintable(form.problem()));
    form.path()->setText(seen.folder() + '/' + QString(300, 'a') + ".nwm");
    QVERIFY2(form.problem().contains("cannot be written"), qPrintable(form.problem()));
    // A model of one target takes no help.
    seen.chooseModel("mtl-tlp");
    QVERIFY(form.losses()->count() > 1);
  }

  /// How much of its steps a model sees is chosen where it reads steps, and holds for other data.
  void stepsAreFittedWhereThatIsChosen() {
    Seen seen(*data_);
    TrainingForm& form = *seen.view.form();
    seen.chooseModel("mlp");
    QVERIFY(!form.steps()->isVisible());
    seen.chooseModel("tlp");
    QVERIFY(form.steps()->isVisible() && form.steps()->isEnabled());
    QCOMPARE(form.wish().data.features, std::string());
    form.steps()->setCurrentIndex(1);
    QCOMPARE(form.wish().data.features, std::string("steps,fit"));
    DataChoice other = data_->choice;
    other.seed = 5;
    seen.view.setChoice(other);
    QCOMPARE(form.wish().data.features, std::string("steps,fit"));
    QCOMPARE(form.wish().data.seed, other.seed);
    ModelWish wish = form.wish();
    seen.chooseModel("mlp");
    QCOMPARE(form.wish().data.features, std::string());
    // One that goes on from another sees what that sees; where that is gone, its name is told.
    wish.startFrom = (seen.folder() + "/gone.nwm").toStdString();
    form.showWish(wish);
    QVERIFY(!form.hasOwnData());
    QCOMPARE(form.steps()->currentIndex(), 1);
    QVERIFY(!form.steps()->isEnabled());
    QVERIFY2(form.problem().contains("gone.nwm"), qPrintable(form.problem()));
  }

  void networksLearnStopAndGoOn() {
    NW_NEED_LEARNER();
    Seen seen(*data_);
    seen.chooseModel("mlp");
    seen.setOption("epochs", "500");
    seen.setOption("batch", "32");
    seen.setOption("patience", "0");
    Stalls stalls;
    seen.start();
    QTRY_VERIFY_WITH_TIMEOUT(seen.training(0).course.curve.size() >= 3, kPatience);
    // Live: where it is, losses and scores.
    QVERIFY2(stateText(seen.training(0)).startsWith("epoch ") &&
                 stateText(seen.training(0)).contains(" of 500"),
             qPrintable(stateText(seen.training(0))));
    QTRY_VERIFY(seen.view.words().contains("programs/s"));
    QTRY_COMPARE(seen.view.plots()->losses()->scene().series.size(), std::size_t{2});
    QCOMPARE(seen.view.plots()->scores()->scene().series.size(), std::size_t{2});
    QVERIFY(seen.training(0).course.progress.programsPerSecond > 0);
    seen.button("Stop")->click();
    QVERIFY(!seen.button("Stop")->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!seen.view.isBusy(), 5'000);
    stalls.report("training a network");
    QVERIFY(seen.training(0).course.state == TrainingState::Stopped);
    const std::size_t before = seen.training(0).course.curve.size();
    QVERIFY2(seen.view.words().contains("Resume goes on after epoch"),
             qPrintable(seen.view.words()));
    const std::string file = seen.training(0).file.toStdString();
    QVERIFY(QFile::exists(QString::fromStdString(checkpointOf(file))));
    // Another window finds it beside its document.
    {
      Document document(scripted(seen.script));
      TrainingView other(document);
      other.show();
      openSample(document, *seen.sample);
      QTRY_COMPARE(other.list()->rowCount(), 1);
      QVERIFY(canGoOn(other.list()->row(0)));
      QVERIFY(other.list()->row(0).course.curve.size() >= before);
      QCOMPARE(other.list()->row(0).wish.options.at("epochs").get<int>(), 500);
    }
    // It goes on where it was.
    QVERIFY(seen.button("Resume")->isEnabled());
    seen.button("Resume")->click();
    QVERIFY(seen.view.isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(seen.training(0).course.curve.size() > before + 1, kPatience);
    const std::vector<EpochResult>& curve = seen.training(0).course.curve;
    for (std::size_t i = 0; i < curve.size(); ++i)
      QCOMPARE(curve[i].epoch, int(i) + 1);
    seen.button("Stop")->click();
    seen.wait();
  }

  void networksAreTrainedToTheEnd() {
    NW_NEED_LEARNER();
    Seen seen(*data_);
    seen.chooseModel("mlp");
    for (const auto& [name, value] :
         std::map<QString, QString>{{"epochs", "4"}, {"batch", "32"}, {"patience", "0"}})
      seen.setOption(name, value);
    seen.start();
    seen.wait();
    QVERIFY2(seen.training(0).course.state == TrainingState::Finished,
             qPrintable(seen.view.words()));
    QCOMPARE(seen.training(0).course.curve.size(), std::size_t{4});
    QVERIFY(
        !QFile::exists(QString::fromStdString(wishFileOf(seen.training(0).file.toStdString()))));
    // Passes can be walked through.
    QTest::keyClick(seen.view.plots()->losses(), Qt::Key_Left);
    QVERIFY(seen.view.plots()->losses()->scene().marked >= 1);
    QVERIFY(seen.view.plots()->losses()->scene().describe(2).startsWith("mlp.nwm, epoch 2"));
    // Losses of another name do not compare: they are drawn as shares of the first.
    seen.view.form()->losses()->setCurrentText("mse");
    QCOMPARE(seen.view.form()->path()->text(), seen.folder() + "/mlp-mse.nwm");
    seen.start();
    seen.wait();
    QVERIFY(seen.view.plots()->losses()->scene().yLabel.contains("share of the first"));
    QCOMPARE(seen.view.plots()->losses()->scene().series.front().y.front(), 1.0);
  }

  void aRunningSessionComesFirst() {
    Seen seen(*data_);
    QVERIFY(!seen.view.form()->words().contains("A session is running"));
    seen.document.steering().start();
    QTRY_VERIFY(seen.document.session().isRunning());
    QVERIFY2(seen.view.form()->words().contains("A session is running"),
             qPrintable(seen.view.form()->words()));
    seen.chooseModel("xgboost");
    seen.view.form()->threads()->setValue(4);
    seen.setOption("maxTrees", "1000000");
    seen.setOption("patience", "1000000");
    {
      const QuietHold session = holdForSession(); // the script of the tests has none
      seen.start();
      QTRY_VERIFY(seen.training(0).yields);
      QVERIFY2(seen.view.words().contains("has one thread"), qPrintable(seen.view.words()));
    }
    QVERIFY(seen.view.desk().run()->wish().niceness >= 10);
    QTRY_VERIFY(!seen.training(0).yields); // all of its threads, once that has ended
    QVERIFY(!seen.view.words().contains("has one thread"));
    seen.button("Stop")->click();
    seen.wait();
  }

  void trainingsOfOtherProcessesAreFollowed() {
    Seen seen(*data_);
    QTRY_VERIFY(!seen.view.isReading());
    const std::string model = (seen.folder() + "/elsewhere.nwm").toStdString();
    ModelWish wish;
    wish.loss = "lambdarank";
    wish.data = data_->choice;
    writeWish(model, wish);
    std::unique_ptr<OwnLock> lock = lockTraining(model);
    seen.button("Read Again")->click();
    QTRY_COMPARE(seen.view.list()->rowCount(), 1);
    seen.view.showPage(TrainingView::Page::Trainings);
    seen.view.choose(QString::fromStdString(model));
    QVERIFY2(seen.view.words().contains("It is trained by process"), qPrintable(seen.view.words()));
    QCOMPARE(stateText(seen.training(0)), QString("trained elsewhere, 0 epochs done"));
    for (const char* name : {"Stop", "Resume"})
      QVERIFY(!seen.button(name)->isEnabled());
    lock.reset();
    QTRY_VERIFY_WITH_TIMEOUT(seen.training(0).course.state == TrainingState::Stopped, 30'000);
  }

  void modelsOfElsewhereAreSeenAndFoundAgain() {
    Seen made(*data_);
    made.chooseModel("xgboost");
    made.setOption("maxTrees", "8");
    made.start();
    made.wait();
    const QString model = made.training(0).file;
    Seen seen(*data_);
    QTRY_VERIFY(!seen.view.isReading());
    QCOMPARE(seen.view.list()->rowCount(), 0);
    const QString broken = seen.folder() + "/broken.nwm";
    {
      QFile file(broken);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("nothing of the kind");
    }
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(model), QUrl::fromLocalFile(broken)});
    QDragEnterEvent enter(QPoint(50, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&seen.view, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&seen.view, &drop);
    QTRY_COMPARE(seen.view.list()->rowCount(), 2);
    QCOMPARE(seen.training(0).course.curve.size(), std::size_t{8});
    QCOMPARE(seen.view.plots()->losses()->scene().series.size(), std::size_t{1});
    // What it was asked for is read off it.
    seen.view.choose(model);
    seen.button(QStringLiteral("Again With One Change …"))->click();
    QCOMPARE(seen.view.form()->wish().options.dump(), nlohmann::json({{"maxTrees", 8}}).dump());
    // One that cannot be read says why.
    seen.view.choose(broken);
    QVERIFY2(seen.view.words().contains(QStringLiteral("✗")), qPrintable(seen.view.words()));
    QVERIFY(!seen.button(QStringLiteral("Again With One Change …"))->isEnabled());
    // Both are there when the document is opened again.
    const nlohmann::json state = seen.view.viewState();
    seen.view.restoreViewState({});
    QTRY_VERIFY(!seen.view.isReading());
    QCOMPARE(seen.view.list()->rowCount(), 1); // that of the folder
    seen.view.restoreViewState(state);
    QTRY_COMPARE(seen.view.list()->rowCount(), 2);
    QCOMPARE(seen.view.form()->wish().options.dump(), nlohmann::json({{"maxTrees", 8}}).dump());
    seen.view.restoreViewState({{"wish", 3}, {"models", "x"}, {"page", 99}});
    QVERIFY(seen.view.form()->wish().data == data_->choice);
  }

  void theWindowGoesOnWithAModel() {
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("sample.nwdb"));
    QVERIFY(QFile::copy(samplePath(), copy));
    QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
    MainWindow window(coreCatalogue());
    window.resize(1400, 900);
    window.show();
    window.openFile(copy);
    QTRY_COMPARE_WITH_TIMEOUT(window.document().state(), DocumentState::Ready, 20'000);
    window.actions().layouts[std::size_t(Layout::Lab)]->trigger();
    PanelHost& panels = window.panels();
    panels.raise(QStringLiteral("training"));
    auto& view = *panels.view<TrainingView>();
    QTRY_VERIFY(view.isVisible());
    // The data are those of the page Data Set.
    QVERIFY(view.form()->wish().data == panels.view<DataView>()->choice());
    view.form()->models()->setCurrentText(QStringLiteral("xgboost"));
    view.form()->startButton()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isBusy(), kPatience);
    const QString model = folder.filePath(QStringLiteral("xgboost.nwm"));
    QVERIFY2(QFile::exists(model), qPrintable(view.words()));
    const auto press = [&](const QString& text) {
      for (auto* button : view.findChildren<QToolButton*>())
        if (button->text() == text) return button->click();
      QFAIL(qPrintable(text));
    };
    press(QStringLiteral("Compare"));
    QCOMPARE(panels.view<ModelsView>()->models(), QStringList{model});
    QTRY_VERIFY(panels.view<ModelsView>()->isVisible());
    SessionConfig asked;
    QTimer::singleShot(0, [&] {
      auto* dialog = qobject_cast<NewSessionDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      asked = dialog->config();
      dialog->reject();
    });
    press(QStringLiteral("New Session With It …"));
    QCOMPARE(asked.pretrained, model.toStdString());
    QCOMPARE(asked.subjects, window.document().session().config().subjects);
    QVERIFY(searchPolicy(asked.policy).learns);
  }

  void choicesOfDataAreOpened() {
    Seen seen(*data_);
    DataChoice other = data_->choice;
    other.validationShare = 0.3;
    const QString set = seen.folder() + "/set.json";
    writeChoice(other, set.toStdString());
    seen.view.form()->openChoice(set);
    QTRY_VERIFY(seen.view.form()->hasOwnData());
    QCOMPARE(seen.view.form()->wish().data.validationShare, 0.3);
    // Another choice of the page does not replace it.
    seen.view.setChoice(data_->choice);
    QCOMPARE(seen.view.form()->wish().data.validationShare, 0.3);
    seen.view.form()->openChoice(seen.folder() + "/none.json");
    QTRY_VERIFY(seen.view.form()->problem().contains("cannot be read"));
  }

  void manyLongTrainingsAreDrawnQuickly() {
    Seen seen(*data_);
    QTRY_VERIFY(!seen.view.isReading());
    std::vector<Training> many;
    for (int n = 0; n < 200; ++n) {
      Training training;
      training.file = QStringLiteral("/somewhere/model-%1.nwm").arg(n);
      training.wish.loss = "lambdarank";
      training.course.state = TrainingState::Finished;
      for (int epoch = 1; epoch <= 10'000; ++epoch)
        training.course.curve.push_back({epoch, 1.0 / epoch, 1.5 / epoch, 0.5, 0.8, 1});
      many.push_back(std::move(training));
    }
    seen.view.list()->addPast(std::move(many));
    seen.view.showPage(TrainingView::Page::Trainings);
    seen.view.choose(QStringLiteral("/somewhere/model-0.nwm"));
    QCOMPARE(seen.view.list()->rowCount(), 200);
    // Few are drawn at first, in few points, with the last one.
    const SeriesScene& scene = seen.view.plots()->losses()->scene();
    QCOMPARE(scene.series.size(), std::size_t{8});
    QVERIFY(scene.series.front().x.size() <= 601);
    QCOMPARE(scene.series.front().x.back(), 10'000.0);
    QElapsedTimer timer;
    timer.start();
    constexpr int kTimes = 10;
    for (int n = 0; n < kTimes; ++n) {
      seen.view.choose(QStringLiteral("/somewhere/model-%1.nwm").arg(n));
      QApplication::processEvents();
    }
    qInfo("another of 200 trainings is looked at in %.1f ms", double(timer.elapsed()) / kTimes);
  }

 private:
  QTemporaryDir settings_;
  std::unique_ptr<Data> data_;
};

NW_TEST_GUI(TrainingViewTest)

} // namespace nestwright::training_view_test

#include "training_view.moc"
