#include "ui/inspector/plan_view.h"

#include "core/story/plan_story.h"
#include "ui/charts/series_plot.h"
#include "ui/document/document.h"
#include "ui/document/policy/policy_kind.h"
#include "ui/document/reading/course_reader.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/knob_reader.h"
#include "ui/inspector/plan_model.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

bool isByImprovement(const SessionConfig& config) {
  const std::optional<SearchPolicyKind> policy = policyKind(config);
  return policy && policy->byImprovement;
}

QString energyText(double energy) {
  return std::isfinite(energy)
             ? QString::number(energy, 'g', 4).replace(QLatin1Char('-'), QStringLiteral("−"))
             : tr("none");
}

const AnnealingMoment* momentAt(const PlanLog& plan, double step) {
  const auto found =
      std::ranges::find(plan.moments, static_cast<int>(std::lround(step)), &AnnealingMoment::step);
  return found == plan.moments.end() ? nullptr : &*found;
}

QString momentInWords(const AnnealingMoment& moment) {
  return tr("Step %1, temperature %2\n%3 of the chains moved\nChains' energies: 5 % below %4, half "
            "below %5, 95 % below %6\nTo be kept, one more needs above %7")
      .arg(countText(moment.step))
      .arg(moment.temperature, 0, 'f', 3)
      .arg(percentText(moment.accepted), energyText(moment.low), energyText(moment.middle),
           energyText(moment.high), energyText(moment.threshold));
}

/// A row for each moment that is kept.
ExportTable momentsTable(const PlanLog& plan) {
  const QStringList headers{
      tr("step"),           tr("temperature"),  tr("share of chains that moved"), tr("energy, 5 %"),
      tr("energy, median"), tr("energy, 95 %"), tr("threshold of the kept ones")};
  const auto number = [](double value) {
    return std::isfinite(value) ? QString::number(value, 'g', 8) : noValue();
  };
  std::vector<QStringList> rows;
  for (const AnnealingMoment& moment : plan.moments)
    rows.push_back({QString::number(moment.step), number(moment.temperature),
                    number(moment.accepted), number(moment.low), number(moment.middle),
                    number(moment.high), number(moment.threshold)});
  return tableOfRows(headers, std::move(rows));
}

} // namespace

PlanView::PlanView(Document& document, KnobReader& knobs, CourseReader& course, QWidget* parent)
    : QWidget(parent), document_(document), knobs_(knobs), course_(course),
      pages_(new QStackedWidget(this)), nothing_(new QLabel(this)), roundLabel_(new QLabel(this)),
      note_(new QLabel(this)), slider_(new QSlider(Qt::Horizontal, this)),
      model_(new PlanModel(this)), sorted_(new SortedRows(this)), table_(new QTableView(this)),
      energies_(new SeriesPlot(this, tr("Energies of the annealing's chains over its steps"))),
      moves_(new SeriesPlot(this, tr("Temperature and acceptance of the annealing"))) {
  nothing_->setAlignment(Qt::AlignCenter);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {nothing_, note_}) {
    label->setWordWrap(true);
    label->setMinimumWidth(1);
  }
  nothing_->setMargin(24);
  slider_->setPageStep(1);
  slider_->setAccessibleName(tr("Plan"));
  slider_->setToolTip(tr("Plans of the selected task, by the round in which each was made. At the "
                         "right end new ones are followed."));
  slider_->setFixedWidth(120);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 6, 8, 4);
  head->addWidget(roundLabel_, 0, Qt::AlignTop);
  head->addWidget(slider_, 0, Qt::AlignTop);
  head->addWidget(note_, 1);
  auto* parts = new QSplitter(Qt::Horizontal, this);
  parts->setHandleWidth(1);
  parts->setChildrenCollapsible(false);
  parts->addWidget(makeTable());
  parts->addWidget(makePlots());
  parts->setStretchFactor(0, 1);
  parts->setStretchFactor(1, 1);
  parts->setSizes({1000, 1000});
  auto* content = new QWidget(this);
  auto* rows = new QVBoxLayout(content);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addLayout(head);
  rows->addWidget(parts, 1);
  pages_->addWidget(nothing_);
  pages_->addWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);

  connect(slider_, &QSlider::valueChanged, this, [this](int value) {
    followsNewest_ = value == slider_->maximum();
    showPlan();
  });
  connect(&knobs_, &KnobReader::changed, this, &PlanView::refresh);
  connect(&course_, &CourseReader::changed, this, &PlanView::refresh);
  connect(&document.selection(), &SharedSelection::changed, this, [this] {
    if (plans_.empty() || plans_.front().task != document_.selection().current().task)
      return refresh();
    followRecord();
  });
  refresh();
}

QWidget* PlanView::makeTable() {
  sorted_->setSourceModel(model_);
  table_->setModel(sorted_);
  table_->setAccessibleName(tr("Configurations of the plan"));
  setUpTable(table_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(PlanModel::Number, Qt::AscendingOrder);
  table_->horizontalHeader()->setStretchLastSection(true);
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(table_, signal, this, &PlanView::pick);
  return table_;
}

QWidget* PlanView::makePlots() {
  auto* plots = new QSplitter(Qt::Vertical, this);
  plots->setHandleWidth(1);
  plots->setChildrenCollapsible(false);
  plots->addWidget(energies_);
  plots->addWidget(moves_);
  plots->setStretchFactor(0, 3);
  plots->setStretchFactor(1, 2);
  plots->setSizes({600, 400});
  for (SeriesPlot* plot : {energies_, moves_})
    connect(plot, &SeriesPlot::picked, this, [this](double step) {
      step_ = step;
      showPlan();
    });
  return plots;
}

void PlanView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

QString PlanView::note() const {
  return pages_->currentIndex() == 0 ? nothing_->text() : note_->text();
}

int PlanView::round() const {
  return plans_.empty() ? 0 : plans_[static_cast<std::size_t>(slider_->value())].round;
}

QString PlanView::energyName() const {
  return isByImprovement(document_.session().config()) ? tr("Improvement") : tr("Score");
}

QString PlanView::energyInWords() const {
  const SessionConfig& config = document_.session().config();
  if (!isByImprovement(config)) return tr("energy: the predicted score");
  return config.energy == ImprovementScale::Raw
             ? tr("energy: the expected improvement, FLOP/s")
             : tr("energy: the expected improvement, share of the best");
}

QString PlanView::whyNone() const {
  if (document_.state() != DocumentState::Ready || document_.selection().current().task == 0)
    return tr("Select a task to see how its configurations are planned.");
  const SessionConfig& config = document_.session().config();
  if (const auto policy = policyKind(config); policy && !policy->makesPlans)
    return tr("The policy “%1” makes no plans: it anneals nothing. “annealing” and “contextual” "
              "do.")
        .arg(qs(config.policy));
  if (course_.isReading()) return tr("Reading the plans …");
  return document_.replayMode().isOn()
             ? tr("At this moment of the session no plan of this task had been made: until there "
                  "is a cost model, configurations are drawn at random.")
             : tr("No plan of this task has been made yet: until there is a cost model, "
                  "configurations are drawn at random.");
}

void PlanView::refresh() {
  if (!isVisible()) return;
  const RowId task = document_.selection().current().task;
  if (const KnobSubject of = knobSubject(document_, task); of != of_) {
    of_ = of;
    shownRound_ = 0;
    followsNewest_ = true;
  }
  plans_ = task == 0 ? std::vector<CourseRound>() : plansOf(course_.course(), task);
  if (plans_.empty()) return showNothing(whyNone());
  const int last = static_cast<int>(plans_.size()) - 1;
  const auto same = std::ranges::find(plans_, shownRound_, &CourseRound::round);
  if (same == plans_.end()) followsNewest_ = true;
  const int place = followsNewest_ ? last : static_cast<int>(same - plans_.begin());
  {
    const QSignalBlocker quiet(slider_);
    slider_->setRange(0, last);
    slider_->setValue(place);
  }
  enableUnless(slider_, last > 0 ? QString() : tr("There is one plan."));
  showPlan();
}

void PlanView::showNothing(const QString& why) {
  plans_.clear();
  nothing_->setText(why);
  pages_->setCurrentIndex(0);
  model_->show({}, energyName());
}

QString PlanView::wordsOn(const CourseRound& round) const {
  const PlanLog& plan = *round.plan;
  QString text =
      tr("%1 configurations: %2 for their energy, %3 by diversity, %4 at random (ε "
         "%5). The annealing had %6 chains and ended after %7 steps; its best energy "
         "is %8.")
          .arg(plan.byScore + plan.byDiversity + plan.atRandom)
          .arg(plan.byScore)
          .arg(plan.byDiversity)
          .arg(plan.atRandom)
          .arg(plan.epsilon, 0, 'f', 3)
          .arg(countText(plan.chains), countText(plan.steps), energyText(plan.bestEnergy));
  if (plan.picks.empty()) text += tr(" The file does not keep which configurations it picked.");
  return text;
}

void PlanView::showPlan() {
  if (plans_.empty()) return;
  const CourseRound& round = plans_[static_cast<std::size_t>(slider_->value())];
  if (std::exchange(shownRound_, round.round) != round.round) step_ = -1;
  pages_->setCurrentIndex(1);
  roundLabel_->setText(tr("Plan of round %1").arg(round.round));
  note_->setText(wordsOn(round));
  const bool known = knobs_.taskTemplate() && knobs_.task() == round.task;
  model_->show(known ? planned(*round.plan, *knobs_.taskTemplate(), *knobs_.lines())
                     : std::vector<PlannedLine>(),
               energyName());
  for (int column = 0; column < PlanModel::Configuration; ++column)
    table_->resizeColumnToContents(column);
  showEnergies(*round.plan);
  showMoves(*round.plan);
  followRecord();
}

void PlanView::showEnergies(const PlanLog& plan) {
  using Shape = PlotSeries::Shape;
  const AnnealingCurves curves = annealingCurves(plan);
  SeriesScene scene;
  scene.series = {
      {tr("5–95 % of the chains"), Shape::Band, 0, Qt::SolidLine, curves.steps, curves.low,
       curves.high},
      {tr("median"), Shape::Line, 0, Qt::SolidLine, curves.steps, curves.middle, {}},
      {tr("to be kept"), Shape::Step, 3, Qt::DashLine, curves.steps, curves.threshold, {}}};
  if (const std::optional<double> threshold = thresholdOf(plan))
    scene.references = {
        {*threshold, tr("threshold of the plan: %1").arg(energyText(*threshold)), 1}};
  scene.xLabel = tr("step");
  scene.xTip = tr("Steps of the annealing. In each, every chain looks at a neighbour that differs "
                  "in one knob.");
  scene.yLabel = energyInWords();
  scene.yTip = tr("What the annealing maximises. Higher is better. The band holds the middle 90 % "
                  "of the chains; the dashed line is what a further configuration needed to be "
                  "among the best ones seen; those picked for their energy lie above the dotted "
                  "one.");
  scene.marked = step_;
  scene.stops = curves.steps;
  scene.describe = [plan](double step) {
    const AnnealingMoment* moment = momentAt(plan, step);
    return moment ? momentInWords(*moment) : QString();
  };
  if (curves.steps.empty()) scene.message = tr("The file keeps no moments of this annealing.");
  energies_->show(std::move(scene));
}

void PlanView::showMoves(const PlanLog& plan) {
  using Shape = PlotSeries::Shape;
  const AnnealingCurves curves = annealingCurves(plan);
  SeriesScene scene;
  scene.series = {
      {tr("temperature"), Shape::Line, 1, Qt::DashLine, curves.steps, curves.temperature, {}},
      {tr("chains that moved"), Shape::Line, 2, Qt::SolidLine, curves.steps, curves.accepted, {}}};
  scene.xLabel = tr("step");
  scene.xTip = tr("Steps of the annealing.");
  scene.yLabel = tr("temperature, share");
  scene.yTip = tr("The temperature falls from 1 to 0; at a low one a chain hardly accepts a worse "
                  "configuration. The other line is the share of the chains that moved in the "
                  "step.");
  scene.yLow = 0;
  scene.yHigh = 1;
  scene.marked = step_;
  scene.stops = curves.steps;
  scene.describe = energies_->scene().describe;
  if (curves.steps.empty()) scene.message = tr("The file keeps no moments of this annealing.");
  moves_->show(std::move(scene));
}

void PlanView::pick(const QModelIndex& index) {
  const QVariant record = index.data(RecordRole);
  if (record.isValid()) document_.selection().select({knobs_.task(), record.toLongLong()});
}

void PlanView::followRecord() {
  const int row = model_->rowOf(document_.selection().current().record);
  if (row < 0)
    table_->clearSelection();
  else
    table_->selectRow(sorted_->mapFromSource(model_->index(row, 0)).row());
}

Exports PlanView::exports() {
  if (plans_.empty()) return seenOf(this);
  Exports exports = seenOf(this);
  exports.name = QStringLiteral("plan");
  const TaskEntry* task = document_.session().task(plans_.front().task);
  exports.title = tr("Plan of round %1 of %2")
                      .arg(round())
                      .arg(task ? taskTitle(task->row.name) : tr("a task"));
  exports.text = note();
  exports.table = tableOf(table_);
  exports.tableName = tr("Configurations of the plan");
  exports.more = {
      {tr("Annealing"), momentsTable(*plans_[static_cast<std::size_t>(slider_->value())].plan)}};
  energies_->exportPicture(exports);
  return exports;
}

} // namespace nestwright::ui

#include "moc_plan_view.cpp"
