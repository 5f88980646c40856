/// The cost model view: predictions, ranking, features and explanations of real sessions whose
/// measurements are made up.

#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/session/insight/explain_score.h"
#include "core/story/calibration.h"
#include "core/story/search_course.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"
#include "tests/ui/exported.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/replaying.h"
#include "ui/charts/plot_labels.h"
#include "ui/charts/series_plot.h"
#include "ui/cost_model/attention_model.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/cost_model/explanation_page.h"
#include "ui/cost_model/importance_model.h"
#include "ui/cost_model/importance_page.h"
#include "ui/cost_model/learning_page.h"
#include "ui/cost_model/model_reader.h"
#include "ui/cost_model/prediction_page.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/cost_model/quality_plot.h"
#include "ui/cost_model/round_bar.h"
#include "ui/cost_model/surprise_model.h"
#include "ui/cost_model/waterfall_plot.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <cmath>

namespace nestwright::cost_model_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

SessionConfig config() {
  SessionConfig config = madeUpConfig();
  config.trials = 128; // eight rounds, of which the first two are random
  config.population = 128;
  config.generations = 2;
  return config;
}

/// The view of a document, large and seen.
struct Seen {
  Document document{madeUpSessions()};
  CostModelView view{document};
  Seen() {
    view.resize(1000, 600);
    view.show();
    view.rounds().setAllTasks(true);
  }
  const Predictions& predictions() const { return view.history().predictions(); }
  PredictionPlot& predictionPlot() { return *view.predictionPlot(); }
};

class CostModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void agreesWithWhatTheSessionTold();
  void surprisesSelect();
  void pointsSelect();
  void roundsCanBeChosen();
  void featuresAddUp();
  void explanationsAddUp();
  void stepsStandInTheirOrder();
  void networksHaveNoSplits();
  void sharesOfTreesBesideANetworkAreSaidToBe();
  void stepsLookAtOneAnother();
  void attentionIsShownWhereThereIsSome();
  void randomSessionsSayWhatToDo();
  void followsARunningSession();
  void followsAReplay();
  void answersOfTheDocumentBeforeAreDropped();
  void exportsEveryPage();
  void keepsItsState();
  void showsHowSureAForestIs();
  void learningIsDrawnForThoseWhoSeeIt();
  void learningFollowsAReplay();
  void whatIsNotThereIsSaid();

 private:
  QTemporaryDir folder_;
  QString path_;
};

void CostModelTest::initTestCase() {
  path_ = folder_.filePath(QStringLiteral("learned.nwdb"));
  runMadeUpSession(path_, config());
}

/// Our numbers, from the records, are those that the session computed when it learned.
void CostModelTest::agreesWithWhatTheSessionTold() {
  Seen seen;
  seen.document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(seen.predictions().rounds().size() == 6, 30'000);
  const RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
  const RowId session = store.sessions().all().front().id;
  int compared = 0;
  for (const EventRow& row : store.events().of(session)) {
    const Event event = eventFromJson(row.kind, nlohmann::json::parse(row.json));
    const auto* update = std::get_if<ModelUpdated>(&event);
    if (!update || !update->trained) continue;
    const RoundQuality quality =
        qualityOf(seen.predictions().between(update->round, update->round), 8);
    QCOMPARE(quality.programs, update->ranked);
    QCOMPARE(quality.accuracy, update->rankAccuracy);
    QCOMPARE(quality.correlation, update->rankCorrelation);
    ++compared;
  }
  QCOMPARE(compared, 6);
  QCOMPARE(seen.view.qualityPlot()->roundCount(), 6);
  QCOMPARE(seen.view.rounds().round(), 8);
  QVERIFY2(seen.view.predictions().summary().contains(QStringLiteral("rank correlation")),
           qPrintable(seen.view.predictions().summary()));
  // The selected task alone.
  seen.view.rounds().setAllTasks(false);
  const std::size_t own =
      seen.predictions().rounds(seen.document.selection().current().task).size();
  QVERIFY(own > 0 && own < 6);
  QCOMPARE(seen.view.qualityPlot()->roundCount(), static_cast<int>(own));
}

void CostModelTest::surprisesSelect() {
  Seen seen;
  QAbstractItemModelTester tester(seen.view.predictions().surprises());
  seen.document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(seen.view.predictions().surprises()->rowCount() > 5, 30'000);
  QTableView& table = *seen.view.predictions().surpriseTable();
  double before = 1e9;
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    const double size =
        table.model()->index(row, SurpriseModel::Surprise).data(SortRole).toDouble();
    QVERIFY(size <= before);
    before = size;
  }
  const QModelIndex third = table.model()->index(2, SurpriseModel::Trial);
  const RowId record = third.data(RecordRole).toLongLong();
  QVERIFY(record != seen.document.selection().current().record);
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(third).center());
  QCOMPARE(seen.document.selection().current().record, record);
  QCOMPARE(table.selectionModel()->selectedRows().value(0).row(), 2);
  for (int column = 0; column < SurpriseModel::ColumnCount; ++column)
    QVERIFY(!seen.view.predictions()
                 .surprises()
                 ->headerData(column, Qt::Horizontal, Qt::ToolTipRole)
                 .toString()
                 .isEmpty());
}

void CostModelTest::pointsSelect() {
  Seen seen;
  seen.document.open(path_);
  PredictionPlot& plot = *seen.view.predictionPlot();
  QTRY_VERIFY_WITH_TIMEOUT(plot.pointCount() > 5, 30'000);
  plot.replot();
  // "as predicted" is not cut at the plot's edge, however little room there is above its corner.
  const auto label = [&]() -> const QCPItemText* {
    for (int i = 0; i < plot.itemCount(); ++i)
      if (const auto* text = qobject_cast<QCPItemText*>(plot.item(i));
          text && text->text() == QStringLiteral("as predicted"))
        return text;
    return nullptr;
  }();
  QVERIFY(label != nullptr && label->visible());
  const QRectF box = PlotLabels::rectOf(*label);
  QVERIFY2(box.top() >= plot.axisRect()->top() && box.bottom() <= plot.axisRect()->bottom(),
           qPrintable(QStringLiteral("%1 to %2 of %3 to %4")
                          .arg(box.top())
                          .arg(box.bottom())
                          .arg(plot.axisRect()->top())
                          .arg(plot.axisRect()->bottom())));
  const auto round = seen.predictions().between(8, 8);
  const RowId record = round.front()->record;
  const std::optional<QPointF> pixel = plot.pixelOf(record);
  QVERIFY(pixel);
  QVERIFY(plot.axisRect()->rect().contains(pixel->toPoint()));
  QVERIFY2(plot.xAxis->range().size() < 10 && plot.yAxis->range().size() < 10, "not fitted");
  QTest::mouseClick(&plot, Qt::LeftButton, {}, pixel->toPoint());
  QVERIFY(seen.document.selection().current().record != 0);
  const RowId clicked = seen.document.selection().current().record;
  QTest::keyClick(&plot, Qt::Key_Right);
  QTest::keyClick(&plot, Qt::Key_Right);
  QVERIFY(seen.document.selection().current().record != clicked);
  plot.setLayout(PredictionPlot::Layout::Ranks);
  plot.replot();
  const auto comparable = ranksOf(round).size();
  QCOMPARE(plot.pointCount(), static_cast<int>(comparable));
}

void CostModelTest::roundsCanBeChosen() {
  Seen seen;
  seen.document.open(path_);
  QTRY_COMPARE_WITH_TIMEOUT(seen.view.rounds().round(), 8, 30'000);
  seen.view.showPage(CostModelView::Page::Ranking);
  QualityPlot& plot = *seen.view.qualityPlot();
  plot.replot();
  const QPoint place(static_cast<int>(std::lround(plot.pixelOf(5))), plot.height() / 2);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, place);
  QCOMPARE(seen.view.rounds().round(), 5);
  QTest::keyClick(&plot, Qt::Key_Left);
  QCOMPARE(seen.view.rounds().round(), 4);
}

void CostModelTest::featuresAddUp() {
  Seen seen;
  QAbstractItemModelTester tester(seen.view.importance().model());
  seen.view.showPage(CostModelView::Page::Features);
  seen.document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(seen.view.importance().model()->rowCount() > 0, 30'000);
  double sum = 0, before = 1;
  for (const FeatureShare& feature : seen.view.importance().model()->features()) {
    QVERIFY(feature.share <= before && feature.share > 0);
    QVERIFY(!feature.name.isEmpty() && !feature.meaning.isEmpty());
    before = feature.share;
    sum += feature.share;
  }
  QVERIFY2(std::abs(sum - 1) < 1e-6, qPrintable(QString::number(sum)));
}

void CostModelTest::explanationsAddUp() {
  Seen seen;
  seen.view.showPage(CostModelView::Page::Explanation);
  seen.document.open(path_);
  WaterfallPlot& plot = *seen.view.waterfall();
  QTRY_VERIFY_WITH_TIMEOUT(!plot.bars().empty(), 30'000);
  QVERIFY(plot.bars().front().total && plot.bars().back().total);
  for (std::size_t i = 1; i + 1 < plot.bars().size(); ++i)
    QCOMPARE(plot.bars()[i].from, plot.bars()[i - 1].to);
  const double reached = plot.bars()[plot.bars().size() - 2].to;
  QVERIFY(std::abs(reached - plot.bars().back().to) < 1e-4);
  // Another program has another explanation: the one that the command line prints.
  RecordStore store = RecordStore::open(path_.toStdString(), OpenMode::ReadOnly);
  RecordQuery query;
  query.session = seen.document.session().row().id;
  query.verdict = Verdict::Ok;
  query.limit = 1;
  const Record record = store.records().page(query).front();
  seen.document.selection().select({record.task, record.id});
  const double score = explainScore(store, record).explanation.score;
  QTRY_COMPARE_WITH_TIMEOUT(plot.bars().back().to, score, 30'000);
  QVERIFY(seen.view.explanation().note().contains(QString::fromStdString(record.program).left(8)));
}

/// A model that reads steps: the ones that matter most, in the program's order; a click tells
/// which.
void CostModelTest::stepsStandInTheirOrder() {
  ScoreStory story;
  story.record = 1;
  story.bias = 0.2;
  story.score = story.bias;
  story.ranking = QStringLiteral("the base");
  for (int step = 0; step < 40; ++step) {
    const double added = step % 2 == 0 ? 0.01 * step : -0.001;
    story.parts.push_back({QStringLiteral("%1  a step").arg(step), {}, added, {}, step});
    story.score += added;
  }
  WaterfallPlot plot;
  plot.resize(600, 400);
  plot.setVisible(true);
  plot.show(story);
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  const std::vector<WaterfallPlot::Bar>& bars = plot.bars();
  std::vector<int> steps;
  for (const WaterfallPlot::Bar& bar : bars)
    if (bar.step >= 0) steps.push_back(bar.step);
  QVERIFY(steps.size() >= 3 && steps.size() < 20);
  QVERIFY(std::ranges::is_sorted(steps));
  QCOMPARE(steps.back(), 38); // it added most
  QVERIFY2(bars[bars.size() - 2].name.contains("other steps"),
           qPrintable(bars[bars.size() - 2].name));
  QVERIFY(std::abs(bars[bars.size() - 2].to - story.score) < 1e-9);
  QVERIFY(plot.xAxis->label().contains("higher is faster"));
  QSignalSpy picked(&plot, &WaterfallPlot::stepPicked);
  const QPoint bar(int(plot.xAxis->coordToPixel(bars[2].to)), int(plot.yAxis->coordToPixel(2)));
  QTest::mouseClick(&plot, Qt::LeftButton, {}, bar);
  QCOMPARE(picked.size(), 1);
  QCOMPARE(picked.front().front().toInt(), bars[2].step);
  QTest::mouseClick(
      &plot, Qt::LeftButton, {},
      QPoint(bar.x(), int(plot.yAxis->coordToPixel(0)))); // where it begins is no step
  QCOMPARE(picked.size(), 1);
}

/// A session whose model learned from a round or two.
void runNeuralSession(const QString& path, const char* model, const char* features) {
  SessionConfig settings = madeUpConfig();
  settings.population = 64;
  settings.generations = 1;
  settings.trials = 48;
  settings.model = model;
  settings.features = features;
  runMadeUpSession(path, settings);
}

void CostModelTest::networksHaveNoSplits() {
  NW_NEED_LEARNER();
  const QString path = folder_.filePath(QStringLiteral("mlp.nwdb"));
  runNeuralSession(path, "mlp", "paper,lowered");
  Seen seen;
  seen.view.showPage(CostModelView::Page::Features);
  seen.document.open(path);
  QTRY_VERIFY_WITH_TIMEOUT(seen.view.importance().note().contains(QStringLiteral("network")),
                           30'000);
  QVERIFY2(seen.view.importance().note().contains(QStringLiteral("Explanation")),
           qPrintable(seen.view.importance().note()));
  QVERIFY(!seen.view.importance().table()->isVisible());
}

void CostModelTest::sharesOfTreesBesideANetworkAreSaidToBe() {
  ModelStory story;
  story.features = {{QStringLiteral("feature"), QStringLiteral("what it counts"), 1}};
  story.splits = ModelStory::Splits::OfTheModel;
  QVERIFY(featuresNote(story).startsWith(QStringLiteral("1 feature has splits in the model")));
  story.splits = ModelStory::Splits::OfAPart;
  QVERIFY2(featuresNote(story).contains(QStringLiteral("of the model's trees alone")),
           qPrintable(featuresNote(story)));
}

/// A program of three steps, of which the network reads two.
ScoreStory attentiveStory() {
  ScoreStory story;
  story.record = 1;
  story.program = QStringLiteral("12345678");
  story.ranking = QStringLiteral("base");
  for (int step = 0; step < 3; ++step)
    story.parts.push_back({QStringLiteral("%1  a step").arg(step), {}, 0.1, {}, step});
  story.score = 0.3;
  story.attention = Attention{2, {0.5F, 0.3F, 0.2F, 0.1F, 0.9F, 0}};
  return story;
}

void CostModelTest::stepsLookAtOneAnother() {
  ExplanationPage page(nullptr);
  QAbstractItemModelTester tester(page.attention());
  page.resize(600, 400);
  page.setVisible(true);
  page.show(attentiveStory(), {});
  QVERIFY(QTest::qWaitForWindowExposed(&page));
  QVERIFY(!page.showsAttention() && page.attentionButton()->isVisible());
  page.attentionButton()->click();
  QVERIFY(page.showsAttention() && page.attentionTable()->isVisible());
  QVERIFY2(page.note().contains(QStringLiteral("does not see the last 1")),
           qPrintable(page.note()));
  const AttentionModel& model = *page.attention();
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(model.columnCount(), 3);
  QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("30.0"));
  QVERIFY(model.index(1, 2).data(Qt::ToolTipRole).toString().contains(QStringLiteral("padding")));
  const Exports exports = page.exports();
  QCOMPARE(exports.table->headers.size(), 4);
  QCOMPARE(rowsOf(exports), 2);
  QSignalSpy picked(&page, &ExplanationPage::stepPicked);
  const QModelIndex second = model.index(1, 0);
  QTest::mouseClick(page.attentionTable()->viewport(), Qt::LeftButton, {},
                    page.attentionTable()->visualRect(second).center());
  QCOMPARE(picked.size(), 1);
  QCOMPARE(picked.front().front().toInt(), 1);
  // A score without attention is shown as bars, whatever was chosen.
  ScoreStory without = attentiveStory();
  without.attention.reset();
  page.show(without, {});
  QVERIFY(!page.showsAttention() && !page.attentionButton()->isVisible());
  page.show(attentiveStory(), {});
  QVERIFY(page.showsAttention());
}

void CostModelTest::attentionIsShownWhereThereIsSome() {
  NW_NEED_LEARNER();
  const QString path = folder_.filePath(QStringLiteral("tlp.nwdb"));
  runNeuralSession(path, "tlp", "steps");
  Seen seen;
  seen.view.showPage(CostModelView::Page::Explanation);
  seen.document.open(path);
  const ExplanationPage& page = seen.view.explanation();
  QTRY_VERIFY_WITH_TIMEOUT(page.attentionButton()->isVisible(), 30'000);
  page.attentionButton()->click();
  QVERIFY(page.showsAttention());
  const AttentionModel& model = *page.attention();
  QVERIFY(model.rowCount() > 3);
  QVERIFY(model.headerData(0, Qt::Vertical, Qt::DisplayRole).toString().startsWith('0'));
  QVERIFY(pictureOf(seen.view.exports()).pixelColor(2, 2) != kBlank);
  QCOMPARE(seen.view.exports().name, QStringLiteral("step-attention"));
  Document other;
  CostModelView again(other);
  again.restoreViewState(seen.view.viewState());
  QVERIFY(again.explanation().attentionButton()->isChecked());
}

void CostModelTest::randomSessionsSayWhatToDo() {
  const auto sample = makeSample(50);
  Document document;
  CostModelView view(document);
  view.resize(800, 500);
  view.show();
  QVERIFY(view.predictions().summary().contains(QStringLiteral("open")));
  openSample(document, *sample);
  QTRY_VERIFY2(view.predictions().summary().contains(QStringLiteral("evolutionary")),
               qPrintable(view.predictions().summary()));
  QTRY_VERIFY_WITH_TIMEOUT(view.importance().note().contains(QStringLiteral("evolutionary")),
                           30'000);
}

void CostModelTest::followsARunningSession() {
  const QString path = folder_.filePath(QStringLiteral("live.nwdb"));
  Seen seen;
  seen.document.create(path, config(), true);
  QTRY_VERIFY_WITH_TIMEOUT(seen.predictions().rounds().size() >= 2, 120'000);
  QTRY_COMPARE_WITH_TIMEOUT(seen.document.session().status(), SessionStatus::Finished, 120'000);
  QTRY_COMPARE_WITH_TIMEOUT(seen.predictions().rounds().size(), std::size_t(6), 30'000);
  QTRY_COMPARE(seen.view.rounds().round(), 8);
  QTRY_VERIFY_WITH_TIMEOUT(seen.view.importance().model()->rowCount() > 0, 30'000);
  // What was told piece by piece is what is read again.
  Seen again;
  again.document.open(path);
  QTRY_COMPARE_WITH_TIMEOUT(again.predictions().programs().size(),
                            seen.predictions().programs().size(), 30'000);
  QTRY_VERIFY(!again.document.session().historyLoading());
  const auto same = [&] {
    for (std::size_t i = 0; i < seen.predictions().programs().size(); ++i) {
      const PredictedProgram &a = seen.predictions().programs()[i],
                             &b = again.predictions().programs()[i];
      if (a.record != b.record || a.predicted != b.predicted || a.share != b.share) return false;
    }
    return true;
  };
  QTRY_VERIFY(same());
}

void CostModelTest::followsAReplay() {
  Seen seen;
  seen.document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(seen.predictions().rounds().size() == 6, 30'000);
  const std::size_t all = seen.predictions().programs().size();
  startReplay(seen.document);
  if (QTest::currentTestFailed()) return;
  QTRY_VERIFY(seen.predictions().empty());
  QTRY_VERIFY2(seen.view.predictions().summary().contains(QStringLiteral("At this moment")),
               qPrintable(seen.view.predictions().summary()));
  seen.document.replayMode().replay()->seek(seen.document.replayMode().replay()->size());
  QTRY_COMPARE_WITH_TIMEOUT(seen.predictions().programs().size(), all, 30'000);
  seen.document.replayMode().end();
  QTRY_COMPARE_WITH_TIMEOUT(seen.predictions().programs().size(), all, 30'000);
}

/// What the model is asked as the document is closed is not told.
void CostModelTest::answersOfTheDocumentBeforeAreDropped() {
  Document document(madeUpSessions());
  document.open(path_);
  QTRY_COMPARE(document.state(), DocumentState::Ready);
  ModelReader reader(document);
  reader.setWanted(true);
  int toldAfterwards = 0, told = 0;
  connect(&reader, &ModelReader::asked, &document, [&] {
    ++told;
    if (document.state() != DocumentState::Ready && !reader.story().features.empty())
      ++toldAfterwards;
  });
  QTimer closing; // with the reader's own, so that its question is under way
  closing.setSingleShot(true);
  connect(&closing, &QTimer::timeout, &document, &Document::close);
  reader.follow();
  closing.start(60);
  QTRY_COMPARE(document.state(), DocumentState::Empty);
  QTRY_VERIFY(told > toldAfterwards); // that there is nothing to tell
  QCOMPARE(toldAfterwards, 0);
}

void CostModelTest::exportsEveryPage() {
  using Page = CostModelView::Page;
  Seen seen;
  seen.document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(seen.view.rounds().round() == 8, 30'000);
  QTRY_VERIFY_WITH_TIMEOUT(seen.view.importance().model()->rowCount() > 0, 30'000);
  QStringList names;
  for (const Page page :
       {Page::Predictions, Page::Ranking, Page::Features, Page::Explanation, Page::Learning}) {
    seen.view.showPage(page);
    if (page == Page::Learning)
      QTRY_VERIFY_WITH_TIMEOUT(!seen.view.learning().chance()->scene().stops.empty(), 30'000);
    const Exports exports = seen.view.exports();
    names.append(exports.name);
    QVERIFY(!exports.title.isEmpty());
    QVERIFY(pictureOf(exports).pixelColor(2, 2) != kBlank);
    const int rows = rowsOf(exports);
    const int least = page == Page::Predictions
                          ? static_cast<int>(seen.predictions().programs().size())
                      : page == Page::Ranking ? 6
                                              : 3;
    QVERIFY2(rows >= least, qPrintable(exports.name));
  }
  names.removeDuplicates();
  QCOMPARE(names.size(), 5);
  QCOMPARE(seen.view.paletteItems({}).size(), std::size_t(5));
  seen.view.paletteItems({})[1].run();
  QCOMPARE(seen.view.page(), Page::Ranking);
}

void CostModelTest::keepsItsState() {
  Seen seen;
  seen.view.showPage(CostModelView::Page::Features);
  const nlohmann::json state = seen.view.viewState();
  Document other;
  CostModelView view(other);
  view.restoreViewState(state);
  QCOMPARE(view.viewState(), state);
  view.restoreViewState({{"page", "wrong"}, {"best", 99}, {"allTasks", 3}});
  QCOMPARE(view.page(), CostModelView::Page::Predictions);
}

/// The product's template, searched as AdaTune does.
SessionConfig contextualConfig() {
  SessionConfig config = madeUpConfig("contextual");
  config.space = SearchSpace::Templates;
  config.model = "forest";
  config.scheduler = "round-robin";
  config.subjects = {"matmul:m=32,n=64,k=64"};
  config.warmup = 0;
  config.trials = 60;
  config.plan = config.trialsPerRound = 12;
  config.chains = 8;
  return config;
}

/// Bars on the predictions, and curves over the rounds that agree with what the file has.
void CostModelTest::showsHowSureAForestIs() {
  const QString path = folder_.filePath(QStringLiteral("forest.nwdb"));
  runMadeUpSession(path, contextualConfig());
  Seen seen;
  seen.document.open(path);
  QTRY_VERIFY_WITH_TIMEOUT(seen.predictionPlot().unsureCount() > 3, 30'000);
  const int last = seen.view.rounds().round();
  const Calibration own = calibrationOf(seen.predictions().ofRound(last));
  QCOMPARE(std::size_t(seen.predictionPlot().unsureCount()), own.programs);
  QVERIFY2(seen.view.predictions().summary().contains(QStringLiteral("±1σ")),
           qPrintable(seen.view.predictions().summary()));
  seen.view.showPage(CostModelView::Page::Learning);
  LearningPage& page = seen.view.learning();
  QTRY_VERIFY_WITH_TIMEOUT(page.improvement()->message().isEmpty(), 30'000);
  QVERIFY(page.calibration()->message().isEmpty() && page.chance()->message().isEmpty());
  QVERIFY(page.note().contains(QStringLiteral("standard deviation")));
  // ε of every plan, and the random share of every round, of which the first is all random.
  const SearchCourse course = readCourse(RecordStore::open(path.toStdString(), OpenMode::ReadOnly),
                                         seen.document.session().row().id);
  const SeriesScene& chance = page.chance()->scene();
  QCOMPARE(chance.series[0].y.size(), course.rounds().size());
  QCOMPARE(chance.series[0].y.front(), 1.0);
  const auto plans = plansOf(course, 0);
  QVERIFY(plans.size() > 2);
  for (std::size_t i = 0; i < plans.size(); ++i)
    QCOMPARE(chance.series[1].y[i], plans[i].plan->epsilon);
  QVERIFY(chance.describe(last).contains(QStringLiteral("ε")));
  // A click goes to the round, everywhere.
  const int earlier = seen.view.rounds().rounds()[1];
  QVERIFY(earlier != last);
  page.chance()->replot();
  QTest::mouseClick(page.chance(), Qt::LeftButton, {},
                    {int(page.chance()->pixelOf(earlier)), page.chance()->height() / 2});
  QCOMPARE(seen.view.rounds().round(), earlier);
  QCOMPARE(page.calibration()->scene().marked, double(earlier));
  QTest::keyClick(page.chance(), Qt::Key_Right);
  QCOMPARE(seen.view.rounds().round(), earlier + 1);
  QCOMPARE(rowsOf(seen.view.exports()), int(course.rounds().size()));
}

void CostModelTest::learningIsDrawnForThoseWhoSeeIt() {
  Seen seen;
  seen.document.open(path_);
  QTRY_VERIFY_WITH_TIMEOUT(seen.view.rounds().round() == 8, 30'000);
  QTest::qWait(100);
  Q_EMIT seen.document.follower().settingsChanged(); // everything that is seen is drawn again
  const auto stops = [&] { return seen.view.learning().chance()->scene().stops.size(); };
  QVERIFY(seen.view.learning().chance()->scene().xLabel.isEmpty());
  seen.view.showPage(CostModelView::Page::Learning);
  QTRY_VERIFY_WITH_TIMEOUT(stops() > 3, 30'000);
}

void CostModelTest::learningFollowsAReplay() {
  const QString path = folder_.filePath(QStringLiteral("forest.nwdb"));
  Seen seen;
  seen.view.showPage(CostModelView::Page::Learning);
  seen.document.open(path);
  LearningPage& page = seen.view.learning();
  const auto stops = [&] { return page.chance()->scene().stops.size(); };
  QTRY_VERIFY_WITH_TIMEOUT(stops() > 3, 30'000);
  const std::size_t all = stops();
  replayFrom(seen.document);
  if (QTest::currentTestFailed()) return;
  QTRY_COMPARE(stops(), std::size_t(0));
  Replay& replay = *seen.document.replayMode().replay();
  seekTo(seen.document, replay.size() / 2);
  if (QTest::currentTestFailed()) return;
  QTRY_VERIFY(stops() > 0 && stops() < all);
  QVERIFY(page.chance()->scene().stops.back() <= seen.document.session().round().round);
  seekTo(seen.document, replay.size());
  QTRY_COMPARE(stops(), all);
}

/// A model that does not know how sure it is, and a policy that plans nothing.
void CostModelTest::whatIsNotThereIsSaid() {
  Seen seen;
  seen.view.showPage(CostModelView::Page::Learning);
  seen.document.open(path_);
  LearningPage& page = seen.view.learning();
  QTRY_VERIFY_WITH_TIMEOUT(!page.chance()->scene().stops.empty(), 30'000);
  QTRY_VERIFY(page.calibration()->message().contains(QStringLiteral("how sure")));
  QVERIFY(page.recall()->message().contains(QStringLiteral("average recall")));
  QVERIFY(page.improvement()->message().contains(QStringLiteral("contextual")));
  QCOMPARE(seen.predictionPlot().unsureCount(), 0);
  QVERIFY(!seen.view.predictions().summary().contains(QStringLiteral("σ")));
}

NW_TEST_GUI(CostModelTest)

} // namespace nestwright::cost_model_test

#include "cost_model.moc"
