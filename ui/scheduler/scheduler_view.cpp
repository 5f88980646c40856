#include "ui/scheduler/scheduler_view.h"

#include "ui/document/choice_text.h"
#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/scheduler/allocation_plot.h"
#include "ui/scheduler/choice_history.h"
#include "ui/scheduler/scheduler_model.h"
#include "ui/tasks/importance_slider.h"
#include "ui/tasks/task_mode_delegate.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {

SchedulerView::SchedulerView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), plot_(new AllocationPlot(document, this)),
      choices_(new ChoiceHistory(document, this)), model_(new SchedulerModel(document, this)),
      sorted_(new SortedRows(this)), table_(new QTableView(this)) {
  auto* lower = choicePanel();
  auto* split = new QSplitter(Qt::Vertical, this);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(plot_);
  split->addWidget(lower);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 3);
  split->setSizes({300, 400});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(toolBar());
  layout->addWidget(split, 1);

  connect(choices_, &ChoiceHistory::changed, this, &SchedulerView::showChoice);
  connect(&document.selection(), &SharedSelection::changed, this, &SchedulerView::followSelection);
  connect(&document.follower(), &SessionFollower::tasksChanged, this,
          &SchedulerView::followSelection);
  connect(&Theme::instance(), &Theme::changed, this, &SchedulerView::fitColumns);
  fitColumns();
  new ElasticColumn(table_, SchedulerModel::Name, QStringLiteral("T12 Conv 3x3 512→512"));
  showChoice();
}

QWidget* SchedulerView::toolBar() {
  axis_ = choiceBox(this, {tr("over trials"), tr("over time")}, tr("Horizontal axis"),
                    tr("Trials of the whole session, or tuning time without pauses."));
  share_ = flatToggle(this, tr("Share"),
                      tr("Each task's part of all trials up to there, instead of their "
                         "number."));
  auto* bar = new QWidget(this);
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(8, 4, 8, 4);
  line->setSpacing(4);
  line->addWidget(axis_);
  line->addWidget(share_);
  line->addStretch();
  connect(axis_, &QComboBox::activated, this,
          [this](int index) { plot_->setAxis(static_cast<XAxis>(index)); });
  connect(share_, &QToolButton::toggled, plot_, &AllocationPlot::setShare);
  return bar;
}

QWidget* SchedulerView::choicePanel() {
  first_ = flatButton(this, QStringLiteral("|◀"), tr("The first choice"));
  back_ = flatButton(this, QStringLiteral("◀"), tr("The choice before"));
  forward_ = flatButton(this, QStringLiteral("▶"), tr("The next choice"));
  newest_ = flatButton(this, tr("Latest"), tr("The latest choice, and each new one as it is made"));
  newest_->setCheckable(true);
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setAccessibleName(tr("Choice of the scheduler"));
  slider_->setToolTip(tr("All choices of the session, from the first to the latest."));
  place_ = new QLabel(this);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 4, 8, 0);
  line->setSpacing(4);
  for (QWidget* widget : std::initializer_list<QWidget*>{first_, back_, forward_})
    line->addWidget(widget);
  line->addWidget(slider_, 1);
  line->addWidget(place_);
  line->addWidget(newest_);
  title_ = new QLabel(this);
  words_ = new QLabel(this);
  title_->setContentsMargins(8, 2, 8, 0);
  words_->setContentsMargins(8, 0, 8, 6);
  words_->setWordWrap(true);
  for (QLabel* label : {title_, words_})
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  title_->setTextFormat(Qt::PlainText);
  words_->setTextFormat(Qt::PlainText);
  words_->setAccessibleName(tr("Reason of the choice"));
  buildTable();
  auto* panel = new QWidget(this);
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(title_);
  layout->addWidget(words_);
  layout->addWidget(table_, 1);

  connect(first_, &QToolButton::clicked, this, [this] { choices_->show(0); });
  connect(back_, &QToolButton::clicked, this, [this] { choices_->show(choices_->position() - 1); });
  connect(forward_, &QToolButton::clicked, this,
          [this] { choices_->show(choices_->position() + 1); });
  connect(newest_, &QToolButton::clicked, choices_, &ChoiceHistory::showNewest);
  connect(slider_, &QSlider::valueChanged, choices_, &ChoiceHistory::show);
  return panel;
}

void SchedulerView::buildTable() {
  sorted_->setSourceModel(model_);
  table_->setModel(sorted_);
  setUpTable(table_);
  table_->setObjectName(QStringLiteral("scheduler"));
  table_->setAccessibleName(tr("Tasks and the terms of the choice"));
  table_->setItemDelegateForColumn(SchedulerModel::Name, new TaskNameDelegate(table_));
  table_->setItemDelegateForColumn(SchedulerModel::Pinned,
                                   new TaskModeDelegate(TaskMode::Pinned, table_));
  table_->setItemDelegateForColumn(SchedulerModel::Paused,
                                   new TaskModeDelegate(TaskMode::Paused, table_));
  table_->setItemDelegateForColumn(SchedulerModel::Importance, new ImportanceSlider(table_));
  table_->setItemDelegateForColumn(SchedulerModel::Trials, new BarDelegate(table_));
  table_->setItemDelegateForColumn(SchedulerModel::Gain, new BarDelegate(table_));
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  table_->setSortingEnabled(true);
  table_->sortByColumn(SchedulerModel::Name, Qt::AscendingOrder);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid()) return;
            const RowId task = current.data(TaskRole).toLongLong();
            if (task != document_.selection().current().task)
              document_.selection().selectTask(task);
          });
}

void SchedulerView::fitColumns() {
  QHeaderView* header = table_->horizontalHeader();
  const QFontMetrics metrics(table_->font());
  const auto set = [&](int column, const char* widest) {
    const QString text = QString::fromUtf8(widest);
    const QString title = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    header->resizeSection(
        column,
        std::max(metrics.horizontalAdvance(text), metrics.horizontalAdvance(title) + 14) + 18);
  };
  set(SchedulerModel::Pinned, "____");
  set(SchedulerModel::Paused, "____");
  set(SchedulerModel::Importance, "0.125×______________");
  set(SchedulerModel::Trials, "1,000,000");
  set(SchedulerModel::Gain, "−999.9 ms");
  set(SchedulerModel::Chain, "12.34");
  set(SchedulerModel::Slope, "−999.9 µs");
  set(SchedulerModel::Own, "−999.9 µs");
  set(SchedulerModel::Similar, "−999.9 µs T12");
  set(SchedulerModel::Stagnant, "999");
  title_->setFont([] {
    QFont font = smallFont();
    font.setBold(true);
    return font;
  }());
  for (QLabel* label : {place_, words_})
    label->setFont(smallFont());
  setTextColour(place_, colours().dim);
}

void SchedulerView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  choices_->setWanted(true);
  followSelection();
}

void SchedulerView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  choices_->setWanted(false);
}

QString SchedulerView::choiceWords() const {
  return title_->text() + QLatin1Char('\n') + words_->text();
}

Exports SchedulerView::exports() {
  Exports exports = seenOf(this);
  exports.text = choiceWords();
  plot_->refreshNow();
  if (plot_->shown().trials > 0)
    exports.more.push_back({tr("Trials given to each task"), plot_->table()});
  return exports;
}

void SchedulerView::showChoice() {
  const int count = choices_->count(), position = choices_->position();
  {
    const QSignalBlocker quiet(slider_);
    slider_->setRange(0, std::max(0, count - 1));
    slider_->setValue(std::max(0, position));
  }
  const bool some = count > 0;
  const QString none = some ? QString() : tr("Nothing was chosen yet.");
  enableUnless(slider_, some && count == 1 ? tr("There is one choice.") : none);
  for (QToolButton* button : {first_, back_})
    enableUnless(button, some && position == 0 ? tr("This is the first choice.") : none);
  enableUnless(forward_, some && position == count - 1 ? tr("This is the newest choice.") : none);
  enableUnless(newest_, none);
  newest_->setChecked(choices_->followsNewest());
  place_->setText(some ? tr("%1 of %2 choices").arg(countText(position + 1), countText(count))
                       : QString());
  model_->setChoice(choices_->shown());
  if (const std::optional<TaskChosen>& choice = choices_->shown()) {
    const TaskNames names = taskNames(document_);
    title_->setText(choiceTitle(*choice, names));
    words_->setText(choiceText(*choice, names, document_.session().config().objective.kind));
  } else {
    title_->setText(tr("No choice yet"));
    words_->setText(tr("Once the session runs, each round is explained here: which task got it, "
                       "and the numbers behind the choice."));
  }
}

void SchedulerView::followSelection() {
  const int row = model_->rowOf(document_.selection().current().task);
  const QModelIndex index = row < 0 ? QModelIndex() : sorted_->mapFromSource(model_->index(row, 0));
  if (!index.isValid()) {
    table_->clearSelection();
    table_->selectionModel()->clearCurrentIndex();
    return;
  }
  if (table_->currentIndex().row() == index.row() && table_->selectionModel()->hasSelection())
    return;
  table_->setCurrentIndex(index.siblingAtColumn(
      std::max(0, table_->currentIndex().isValid() ? table_->currentIndex().column() : 0)));
}

} // namespace nestwright::ui

#include "moc_scheduler_view.cpp"
