#include "ui/cost_model/prediction_page.h"

#include "core/story/calibration.h"
#include "ui/charts/point_figures.h"
#include "ui/cost_model/cost_model_export.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/cost_model/round_bar.h"
#include "ui/cost_model/surprise_model.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"

#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <cmath>

namespace nestwright::ui {
namespace {

constexpr std::size_t kSurprises = 20;

} // namespace

PredictionPage::PredictionPage(const Document& document, const RoundBar& rounds, QWidget* parent)
    : NotedPage(parent), document_(document), rounds_(rounds), plot_(new PredictionPlot(this)),
      surprises_(new SurpriseModel(this)), sorted_(new SortedRows(this)),
      table_(new QTableView(this)), title_(makeLine()) {
  setUpSurprises();
  title_->setText(tr("Worst surprises"));
  title_->setToolTip(tr("The programs whose measured throughput is farthest from the predicted "
                        "one. Click one to look at it, and at Explanation to see what misled the "
                        "model."));
  auto* list = new QWidget(this);
  auto* column = new QVBoxLayout(list);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(title_);
  column->addWidget(table_, 1);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(plot_);
  split->addWidget(list);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setSizes({600, 420});
  setContent(split);
  connect(plot_, &PredictionPlot::picked, this, &PredictionPage::picked);
  connect(&rounds, &RoundBar::layoutChosen, plot_, &PredictionPlot::setLayout);
  connect(&Theme::instance(), &Theme::changed, this, &PredictionPage::restyle);
  restyle();
}

void PredictionPage::setUpSurprises() {
  sorted_->setSourceModel(surprises_);
  table_->setModel(sorted_);
  table_->setAccessibleName(tr("Worst surprises"));
  setUpTable(table_);
  table_->setItemDelegateForColumn(SurpriseModel::Surprise, new BarDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(SurpriseModel::Surprise, Qt::DescendingOrder);
  table_->setMinimumWidth(200);
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(table_, signal, this, [this](const QModelIndex& index) {
      Q_EMIT picked(index.data(RecordRole).toLongLong());
    });
}

void PredictionPage::restyle() {
  fitColumn(table_, SurpriseModel::Trial, QStringLiteral("10,000"));
  fitColumn(table_, SurpriseModel::Task, QStringLiteral("T12____"));
  fitColumn(table_, SurpriseModel::Round, QStringLiteral("999"));
  fitColumn(table_, SurpriseModel::Predicted, QStringLiteral("0.999"));
  fitColumn(table_, SurpriseModel::Measured, QStringLiteral("0.999"));
  fitColumn(table_, SurpriseModel::Surprise, QStringLiteral("▲ +0.999 "));
  fitColumn(table_, SurpriseModel::Latency, QStringLiteral("999.9 µs"));
}

QString PredictionPage::summary() const {
  return note().isEmpty() ? empty_ : note();
}

QString PredictionPage::wordsOn(const std::vector<const PredictedProgram*>& programs) const {
  if (programs.empty()) return {};
  const std::size_t k = rounds_.bestCount();
  const RoundQuality quality = qualityOf(programs, k);
  QString text;
  if (rounds_.allTasks()) text = tr("%1: ").arg(taskName(document_, programs.front()->task));
  text += quality.programs == 0
              ? tr("too few programs ran to tell how well the model put them in order.")
              : tr("%1 programs ran, %2 of their pairs in the right order, rank correlation %3")
                    .arg(quality.programs)
                    .arg(percentText(quality.accuracy), signedText(quality.correlation));
  if (quality.programs > k)
    text += tr(", %1 of the %2 fastest among the %2 best predicted")
                .arg(std::lround(quality.recall * static_cast<double>(k)))
                .arg(k);
  const Calibration sure = calibrationOf(programs);
  if (sure.programs > 0)
    text += tr(", %1 measured within ±1σ of the prediction (68 % should be), %2 within ±2σ (95 %)")
                .arg(percentText(sure.share1()), percentText(sure.share2()));
  return text;
}

QString PredictionPage::wordsOnListed(const std::vector<const PredictedProgram*>& programs) const {
  std::vector<double> seconds;
  std::int64_t failed = 0;
  for (const PredictedProgram* program : programs)
    if (listed_.lists(program->record) && program->failed())
      ++failed;
    else if (listed_.lists(program->record))
      seconds.push_back(program->seconds);
  return tr("Listed by %1: %2").arg(listed_.filter, pointFigures(std::move(seconds), failed));
}

void PredictionPage::show(const Predictions& predictions, RowId task, const QString& empty) {
  empty_ = empty;
  const int round = rounds_.round();
  PredictionScene scene;
  scene.round = round;
  scene.k = rounds_.bestCount();
  scene.selected = document_.selection().current().record;
  scene.taskName = [this](RowId id) { return taskName(document_, id); };
  scene.notes = document_.notes().all();
  scene.listed = listed_;
  scene.message = empty;
  std::vector<const PredictedProgram*> programs;
  if (!rounds_.rounds().empty()) {
    scene.programs = predictions.between(round, round, task);
    programs = predictions.between(rounds_.firstRound(), round, task);
    for (const PredictedProgram* program : programs)
      if (program->round != round) scene.before.push_back(program);
  }
  QString text = wordsOn(scene.programs);
  if (listed_.has && !text.isEmpty()) text += QStringLiteral(". ");
  if (listed_.has) text += wordsOnListed(scene.programs);
  setNote(text);
  plot_->show(std::move(scene));
  table_->setColumnHidden(SurpriseModel::Task, !rounds_.allTasks());
  table_->setColumnHidden(SurpriseModel::Round, !rounds_.looksBack());
  surprises_->show(worstSurprises(programs, kSurprises), [this](RowId id) {
    const TaskEntry* entry = document_.session().task(id);
    return entry ? QStringLiteral("T%1").arg(entry->row.index) : QString();
  });
  const int row = surprises_->rowOf(document_.selection().current().record);
  if (row < 0)
    table_->clearSelection();
  else
    table_->selectRow(sorted_->mapFromSource(surprises_->index(row, 0)).row());
}

} // namespace nestwright::ui

#include "moc_prediction_page.cpp"
