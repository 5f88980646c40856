#include "ui/crossing/crossing_page.h"

#include "ui/crossing/cross_details.h"
#include "ui/crossing/crossing_control.h"
#include "ui/crossing/crossing_model.h"
#include "ui/crossing/crossing_strip.h"
#include "ui/document/document.h"
#include "ui/document/program_drag.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QShortcut>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

/// Crosses that are chosen by themselves once there are some: as many as a round measures or so.
constexpr int kOffered = 12;

QString percent(int part, int whole) {
  return whole > 0 ? percentText(double(part) / whole) : noValue();
}

/// What came of the crosses that were measured, beside the best of the task: ", 3 measured, the
/// fastest 1.09 ms, none a new best (1.20× slower)".
QString measuredWords(const CrossingControl& control, const TaskEntry* task) {
  int count = 0;
  bool best = false;
  double fastest = std::numeric_limits<double>::infinity();
  for (int child = 0; child < static_cast<int>(control.children().size()); ++child) {
    // Its copies among the crosses were not measured once more.
    if (control.children()[static_cast<std::size_t>(child)].outcome != CrossOutcome::Legal)
      continue;
    if (const std::optional<MeasuredCross> one = control.measured(child)) {
      ++count;
      best |= one->isBest();
      fastest = std::min(fastest, one->seconds);
    }
  }
  if (count == 0) return {};
  if (!std::isfinite(fastest)) return CrossingPage::tr(", %1 measured, all failed").arg(count);
  QString text =
      CrossingPage::tr(", %1 measured, the fastest %2").arg(count).arg(timeText(fastest));
  if (best) return text;
  text += CrossingPage::tr(", none a new best");
  const double factor =
      task && task->summary.bestRecord != 0 ? fastest / task->summary.bestSeconds : 1;
  return factor < 1.01 ? text : text + CrossingPage::tr(" (%1 slower)").arg(factorText(factor));
}

/// How many crosses were asked for and have no time yet.
int waitingIn(const CrossingControl& control) {
  int waiting = 0;
  for (int child = 0; child < static_cast<int>(control.children().size()); ++child)
    waiting += control.isWaiting(child);
  return waiting;
}

} // namespace

CrossingPage::CrossingPage(Document& document, CrossingControl& control, QWidget* parent)
    : QWidget(parent), document_(document), control_(control),
      parentModel_(new ParentModel(control, this)), model_(new ChildModel(control, this)),
      sorted_(new SortedRows(this)), parents_(new QTableView(this)), table_(new QTableView(this)),
      details_(new CrossDetails(document, control, this)) {
  setAcceptDrops(true);
  buildTables();
  parts_ = new QSplitter(Qt::Horizontal, this);
  parts_->addWidget(parents_);
  parts_->addWidget(table_);
  parts_->addWidget(details_);
  parts_->setChildrenCollapsible(false);
  parts_->setStretchFactor(1, 3);
  parts_->setStretchFactor(2, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(buildBar());
  layout->addLayout(buildSecondBar());
  layout->addWidget(parts_, 1);
  connectControls();
  fitColumns();
  fitParts();
  refreshTally();
  refresh();
}

QLayout* CrossingPage::buildBar() {
  top_ = numberBox(this, 2, 100, 10, tr("Parents"),
                   tr("How many of the selected task's fastest programs become parents."));
  take_ = textButton(this, tr("Take Fastest"),
                     tr("The fastest programs of the selected task become the parents. Records can "
                        "also be dragged here, or crossed from their context menu."));
  count_ =
      numberBox(this, 1, 100'000, 200, tr("Crosses"), tr("How many times two parents are drawn."));
  seed_ = numberBox(this, 0, 1'000'000, 1, tr("Seed"),
                    tr("Of the draws: the same seed crosses the same programs in the same way."));
  cross_ = textButton(this, tr("Cross"),
                      tr("Cross the parents: each cross takes two of them and draws every decision "
                         "in which they differ, such as the sizes of a tile, from one of the two. "
                         "Parents of different structure give all steps of a node."));
  auto* bar = new FlowLayout(nullptr, 4);
  bar->setContentsMargins(8, 4, 8, 0);
  bar->addWidget(labelled(top_));
  bar->addWidget(take_);
  bar->addWidget(labelled(count_));
  bar->addWidget(labelled(seed_));
  bar->addWidget(cross_);
  return bar;
}

QLayout* CrossingPage::buildSecondBar() {
  headline_ = new QLabel(this);
  headline_->setTextFormat(Qt::PlainText);
  tally_ = new QLabel(this);
  tally_->setAccessibleName(tr("Account of the crosses"));
  for (QLabel* label : {headline_, tally_}) {
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setWordWrap(true);
    label->setMinimumWidth(1);
  }
  shown_ = choiceBox(
      this, {tr("All"), tr("Legal"), tr("Predicted better"), tr("Illegal"), tr("Duplicates")},
      tr("Crosses that are listed"), tr("Which crosses the table lists."));
  measure_ = textButton(this, tr("Measure"),
                        tr("Measure the selected crosses (Ctrl+Return). It takes "
                           "nothing of the session's budget."));
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  words->addWidget(headline_);
  words->addWidget(tally_);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(10, 0, 8, 2);
  bar->setSpacing(6);
  bar->addLayout(words, 1);
  bar->addWidget(shown_);
  bar->addWidget(measure_);
  return bar;
}

void CrossingPage::buildTables() {
  parents_->setModel(parentModel_);
  setUpTable(parents_);
  parents_->setAccessibleName(tr("Parents"));
  parents_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  parents_->setDragDropMode(QAbstractItemView::DropOnly);
  parents_->setDropIndicatorShown(false);
  parents_->setMinimumWidth(150);
  auto* remove = new QAction(tr("Remove From the Parents"), parents_);
  remove->setShortcut(QKeySequence::Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  parents_->addAction(remove);
  connect(remove, &QAction::triggered, this, [this] {
    std::vector<int> rows;
    for (const QModelIndex& index : parents_->selectionModel()->selectedRows())
      rows.push_back(index.row());
    control_.remove(rows);
  });

  sorted_->setSourceModel(model_);
  table_->setModel(sorted_);
  setUpTable(table_);
  table_->setAccessibleName(tr("Crosses"));
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setItemDelegateForColumn(ChildModel::Strip, new StripDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(ChildModel::Number, Qt::AscendingOrder);
  // What came of a cross is to be seen without scrolling; its steps stand in the strip as well.
  QHeaderView* header = table_->horizontalHeader();
  header->moveSection(header->visualIndex(ChildModel::Measured), 2);
  header->moveSection(header->visualIndex(ChildModel::Predicted), 3);
  header->setStretchLastSection(true);
  table_->setMinimumWidth(160);
}

void CrossingPage::connectControls() {
  connect(take_, &QToolButton::clicked, this,
          [this] { control_.take(document_.selection().current().task, {}, top_->value()); });
  connect(cross_, &QToolButton::clicked, this,
          [this] { control_.cross(count_->value(), static_cast<std::uint64_t>(seed_->value())); });
  connect(measure_, &QToolButton::clicked, this, &CrossingPage::measureChosen);
  auto* key = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this);
  key->setContext(Qt::WidgetWithChildrenShortcut);
  connect(key, &QShortcut::activated, this, &CrossingPage::measureChosen);
  connect(shown_, &QComboBox::currentIndexChanged, this, [this](int index) {
    model_->setShown(static_cast<ChildModel::Show>(index));
    refresh();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            details_->showChild(current.isValid() ? current.data(ItemRole).toInt() : -1);
          });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &CrossingPage::refresh);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const auto measured = control_.measured(index.data(ItemRole).toInt());
    if (measured) document_.selection().select({control_.task(), measured->record});
  });
  connect(&control_, &CrossingControl::changed, this, &CrossingPage::refresh);
  connect(&control_, &CrossingControl::crossed, this, [this] {
    best_ = -1;
    refreshTally();
    offer();
    fitColumns();
  });
  connect(&control_, &CrossingControl::bestFound, this, [this](int child) {
    best_ = child;
    document_.selection().select({control_.task(), control_.measured(child)->record});
    if (const int row = model_->rowOf(child); row >= 0)
      table_->selectionModel()->setCurrentIndex(sorted_->mapFromSource(model_->index(row, 0)),
                                                QItemSelectionModel::NoUpdate);
    details_->showFamilyTree();
  });
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    fitColumns();
    fitParts();
  });
}

void CrossingPage::dragEnterEvent(QDragEnterEvent* event) {
  if (programFrom(event->mimeData())) event->acceptProposedAction();
}

void CrossingPage::dropEvent(QDropEvent* event) {
  if (control_.add(programsFrom(event->mimeData()))) event->acceptProposedAction();
}

// --- what is shown

QString CrossingPage::headline() const {
  return headline_->text() + QLatin1Char('\n') + tally_->text();
}

void CrossingPage::refresh() {
  const bool busy = control_.isReading() || control_.isCrossing();
  const QString obstacle = control_.obstacle();
  const bool ready = document_.state() == DocumentState::Ready;
  const QString absent = document_.whyNotReady();
  const QString underWay = control_.isCrossing()  ? tr("Crosses are being made.")
                           : control_.isReading() ? tr("The parents are being read.")
                                                  : QString();
  const bool some = document_.selection().current().task != 0;
  enableUnless(take_, !ready ? absent
                      : busy ? underWay
                      : some ? QString()
                             : tr("No task is selected."));
  enableUnless(cross_, busy ? underWay : obstacle);
  cross_->setText(control_.isCrossing() ? tr("Crossing …") : tr("Cross"));
  cross_->setIcon(Theme::instance().icon(QStringLiteral("start")));
  for (QWidget* widget : std::initializer_list<QWidget*>{top_, count_, seed_})
    enableUnless(widget, ready ? underWay : absent);
  const std::size_t chosen = this->chosen().size();
  const int waiting = waitingIn(control_);
  enableUnless(measure_, chosen > 0 ? QString() : control_.whyNotMeasure());
  measure_->setText(chosen > 0    ? tr("Measure %1").arg(chosen)
                    : waiting > 0 ? tr("Measuring …")
                                  : tr("Measure"));
  const TaskEntry* task = document_.session().task(control_.task());
  QString text = task ? taskTitle(task->row.name) : QString();
  if (control_.isReading())
    text = tr("Reading the parents …");
  else if (control_.isCrossing())
    text += tr(": crossing …");
  else if (best_ >= 0 && control_.measured(best_))
    text += tr(": cross %1 is the new best, %2. Its family tree shows both parents.")
                .arg(best_ + 1)
                .arg(timeText(control_.measured(best_)->seconds));
  else if (!obstacle.isEmpty())
    text = obstacle;
  else
    text += control_.parents().size() == 1
                ? tr(": 1 parent")
                : tr(": %1 parents").arg(control_.parents().size()) + measuredWords(control_, task);
  if (waiting > 0 && !busy) text += tr(", measuring %1 …").arg(waiting);
  headline_->setText(text);
}

void CrossingPage::refreshTally() {
  const CrossTally tally = control_.tally();
  const int all = static_cast<int>(control_.children().size());
  tally_->setVisible(all > 0);
  if (all == 0) {
    tally_->clear();
    return;
  }
  QString text = tr("%1 crosses, seed %2: %3 legal (%4), %5 illegal, %6 duplicate")
                     .arg(countText(all))
                     .arg(control_.seed())
                     .arg(countText(tally.legal), percent(tally.legal, all),
                          countText(tally.illegal), countText(tally.duplicate));
  text += control_.isPredicted()
              ? tr("; %1 predicted better than both parents").arg(tally.predictedBetter)
              : tr("; nothing is predicted: %1").arg(control_.unpredicted());
  tally_->setText(text);
  QStringList reasons;
  for (const auto& [reason, count] : tally.reasons)
    reasons.append(QStringLiteral("%1 × %2").arg(count).arg(qs(reason)));
  tally_->setToolTip(reasons.isEmpty() ? QString()
                                       : tr("Illegal because:\n%1").arg(reasons.join('\n')));
}

/// The most promising ones are chosen at once. Only where enough are predicted better is the list
/// of these alone.
void CrossingPage::offer() {
  const std::vector<int> promising = mostPromising(control_.children(), kOffered);
  const auto show = control_.children().empty()                    ? ChildModel::Show::All
                    : control_.tally().predictedBetter >= kOffered ? ChildModel::Show::Better
                                                                   : ChildModel::Show::Legal;
  const QSignalBlocker quiet(shown_);
  shown_->setCurrentIndex(static_cast<int>(show));
  model_->setShown(show);
  const bool predicted = control_.isPredicted();
  table_->sortByColumn(predicted ? ChildModel::Predicted : ChildModel::Number,
                       predicted ? Qt::DescendingOrder : Qt::AscendingOrder);
  details_->showChild(-1);
  if (promising.empty()) return refresh();
  QItemSelection rows;
  for (const int child : promising) {
    const QModelIndex row = sorted_->mapFromSource(model_->index(model_->rowOf(child), 0));
    rows.select(row, row.siblingAtColumn(ChildModel::ColumnCount - 1));
  }
  table_->setCurrentIndex(rows.front().topLeft());
  table_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
}

std::vector<int> CrossingPage::chosen() const {
  std::vector<int> chosen;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    const int child = index.data(ItemRole).toInt();
    if (control_.canMeasure(child)) chosen.push_back(child);
  }
  return chosen;
}

void CrossingPage::measureChosen() {
  control_.measure(chosen());
}

void CrossingPage::fitColumns() {
  const auto set = [](QTableView* table, int column, const char* widest) {
    const QFontMetrics metrics(table->font());
    const QString title =
        table->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    table->horizontalHeader()->resizeSection(
        column, std::max(metrics.horizontalAdvance(QString::fromUtf8(widest)),
                         metrics.horizontalAdvance(title) + 14) +
                    16);
  };
  set(parents_, ParentModel::Name, "P10");
  set(parents_, ParentModel::Record, "12345");
  set(parents_, ParentModel::Latency, "9.999 ms");
  set(table_, ChildModel::Number, "200");
  set(table_, ChildModel::Parents, "P10 × P10");
  set(table_, ChildModel::Strip, "AAAAAAAAAAAAAAA");
  set(table_, ChildModel::Outcome, "legal, predicted better");
  set(table_, ChildModel::Predicted, "−0.123");
  set(table_, ChildModel::Measured, "★ 999.9 µs");
}

/// In the proportions in which the parents and the crosses show all their numbers.
void CrossingPage::fitParts() {
  const auto needed = [this](const QTableView* table) {
    int width = style()->pixelMetric(QStyle::PM_ScrollBarExtent) + 4;
    for (int column = 0; column < table->model()->columnCount(); ++column)
      if (!table->isColumnHidden(column)) width += table->columnWidth(column);
    return width;
  };
  const int parents = needed(parents_), crosses = needed(table_);
  parts_->setSizes({parents, crosses, 2 * crosses / 3});
}

} // namespace nestwright::ui

#include "moc_crossing_page.cpp"
