#include "ui/cost_model/cost_model_view.h"
#include "ui/cost_model/importance_model.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/cost_model/quality_plot.h"
#include "ui/cost_model/surprise_model.h"
#include "ui/cost_model/waterfall_plot.h"
#include "ui/document/document.h"
#include "ui/kit/cell_delegates.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/table_setup.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {

QLabel* CostModelView::note() {
  auto* label = new QLabel(this);
  label->setContentsMargins(8, 4, 8, 4);
  label->setWordWrap(true);
  label->setMinimumWidth(1);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QWidget* CostModelView::toolBar() {
  back_ = flatButton(this, QStringLiteral("◀"), tr("The round before with predictions"));
  forward_ = flatButton(this, QStringLiteral("▶"), tr("The next round with predictions"));
  newest_ =
      flatButton(this, tr("Latest"), tr("The latest round, and each new one as it is measured"));
  newest_->setCheckable(true);
  place_ = new QLabel(this);
  const auto box = [this](const QStringList& items, const QString& name, const QString& tip) {
    auto* made = new QComboBox(this);
    made->addItems(items);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    return made;
  };
  before_ = box({tr("this round"), tr("and 7 before"), tr("and all before")}, tr("Rounds"),
                tr("Earlier rounds are drawn faintly as context, and their surprises are listed "
                   "too."));
  before_->setCurrentIndex(1);
  layouts_ = box({tr("Scores"), tr("Ranks")}, tr("Drawing"),
                 tr("Scores: predicted and measured share of the fastest program's throughput. "
                    "Ranks: a line from each program's predicted rank to its measured one; level "
                    "lines are what a good model gives."));
  QStringList counts;
  for (const std::size_t count : kBestCounts)
    counts.append(tr("best %1").arg(count));
  best_ = box(counts, tr("How many best programs count"),
              tr("Recall: how many of the so many fastest programs of a round are among the so "
                 "many best predicted. A search measures the best predicted, so this is what it "
                 "lives on."));
  best_->setCurrentIndex(2);
  allTasks_ = flatButton(this, tr("All tasks"),
                         tr("Rounds of all tasks, instead of those of the selected "
                            "task. One model learns from all of them."));
  allTasks_->setCheckable(true);
  bar_ = new QWidget(this);
  auto* line = new FlowLayout(bar_, 4);
  line->setContentsMargins(8, 4, 8, 4);
  for (QWidget* widget : std::initializer_list<QWidget*>{back_, place_, forward_, newest_})
    line->addWidget(widget);
  for (QWidget* widget : std::initializer_list<QWidget*>{before_, layouts_, best_})
    line->addWidget(widget);
  line->addWidget(allTasks_);
  const auto step = [this](int direction) {
    const std::vector<int> rounds = history_.predictions().rounds(scope());
    const auto at = std::ranges::lower_bound(rounds, round_) - rounds.begin() + direction;
    if (at >= 0 && at < std::ssize(rounds)) showRound(rounds[static_cast<std::size_t>(at)]);
  };
  connect(back_, &QToolButton::clicked, this, [step] { step(-1); });
  connect(forward_, &QToolButton::clicked, this, [step] { step(1); });
  connect(newest_, &QToolButton::clicked, this, [this] {
    followsNewest_ = true;
    refresh();
  });
  for (QComboBox* choice : {before_, best_})
    connect(choice, &QComboBox::currentIndexChanged, this, &CostModelView::refresh);
  connect(layouts_, &QComboBox::currentIndexChanged, this, [this](int index) {
    predictionPlot_->setLayout(static_cast<PredictionPlot::Layout>(index));
  });
  connect(allTasks_, &QToolButton::toggled, this, &CostModelView::refresh);
  return bar_;
}

QWidget* CostModelView::predictionPage() {
  sortedSurprises_->setSourceModel(surprises_);
  sortedSurprises_->setSortRole(SurpriseModel::SortRole);
  surpriseTable_->setModel(sortedSurprises_);
  surpriseTable_->setAccessibleName(tr("Worst surprises"));
  setUpTable(surpriseTable_);
  surpriseTable_->setItemDelegateForColumn(SurpriseModel::Surprise,
                                           new BarDelegate(surpriseTable_));
  surpriseTable_->setSortingEnabled(true);
  surpriseTable_->sortByColumn(SurpriseModel::Surprise, Qt::DescendingOrder);
  surpriseTable_->setMinimumWidth(200);
  connect(surpriseTable_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    pick(index.data(SurpriseModel::RecordRole).toLongLong());
  });
  connect(surpriseTable_, &QTableView::activated, this, [this](const QModelIndex& index) {
    pick(index.data(SurpriseModel::RecordRole).toLongLong());
  });
  summary_ = note();
  auto* title = note();
  title->setText(tr("Worst surprises"));
  title->setToolTip(tr("The programs whose measured throughput is farthest from the predicted one. "
                       "Click one to look at it, and at Explanation to see what misled the "
                       "model."));
  auto* list = new QWidget(this);
  auto* column = new QVBoxLayout(list);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(title);
  column->addWidget(surpriseTable_, 1);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(predictionPlot_);
  split->addWidget(list);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setSizes({600, 420});
  auto* page = new QWidget(this);
  auto* rows = new QVBoxLayout(page);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(summary_);
  rows->addWidget(split, 1);
  return page;
}

QWidget* CostModelView::featurePage() {
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(importance_);
  sorted->setSortRole(ImportanceModel::SortRole);
  importanceTable_->setModel(sorted);
  importanceTable_->setAccessibleName(tr("Features by importance"));
  setUpTable(importanceTable_);
  importanceTable_->setItemDelegateForColumn(ImportanceModel::Share,
                                             new BarDelegate(importanceTable_));
  importanceTable_->setSortingEnabled(true);
  importanceTable_->sortByColumn(ImportanceModel::Rank, Qt::AscendingOrder);
  modelNote_ = note();
  auto* page = new QWidget(this);
  auto* rows = new QVBoxLayout(page);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(modelNote_);
  rows->addWidget(importanceTable_, 1);
  return page;
}

QWidget* CostModelView::explanationPage() {
  scoreNote_ = note();
  auto* page = new QWidget(this);
  auto* rows = new QVBoxLayout(page);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(scoreNote_);
  rows->addWidget(waterfall_, 1);
  return page;
}

void CostModelView::restyle() {
  const auto fit = [](QTableView* table, int column, const QString& widest) {
    const QFontMetrics metrics(table->font());
    const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
    table->horizontalHeader()->resizeSection(
        column,
        std::max(metrics.horizontalAdvance(widest), metrics.horizontalAdvance(title) + 16) + 18);
  };
  fit(surpriseTable_, SurpriseModel::Trial, QStringLiteral("10,000"));
  fit(surpriseTable_, SurpriseModel::Task, QStringLiteral("T12____"));
  fit(surpriseTable_, SurpriseModel::Round, QStringLiteral("999"));
  fit(surpriseTable_, SurpriseModel::Predicted, QStringLiteral("0.999"));
  fit(surpriseTable_, SurpriseModel::Measured, QStringLiteral("0.999"));
  fit(surpriseTable_, SurpriseModel::Surprise, QStringLiteral("▲ +0.999 "));
  fit(surpriseTable_, SurpriseModel::Latency, QStringLiteral("999.9 µs"));
  fit(importanceTable_, ImportanceModel::Rank, QStringLiteral("184"));
  fit(importanceTable_, ImportanceModel::Feature, QStringLiteral("B0.reuse_dis_in_bytes_xxxx"));
  fit(importanceTable_, ImportanceModel::Share, QStringLiteral("99.9 % ____________"));
  importanceTable_->horizontalHeader()->setStretchLastSection(true);
  for (QLabel* label : {summary_, modelNote_, scoreNote_, place_})
    label->setFont(Theme::instance().smallFont());
}

} // namespace nestwright::ui
