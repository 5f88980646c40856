#include "ui/task_graph/task_graph_view.h"

#include "core/record/rows/session_row.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/roles.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/task_graph/graph_details.h"
#include "ui/task_graph/task_graph_canvas.h"
#include "ui/task_graph/task_graph_model.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr int kValuesMilliseconds = 120; // live numbers move eight times a second
constexpr int kAspectMilliseconds = 250;
/// A panel this much wider or narrower gets another number of columns.
constexpr double kAspectChange = 1.2;

} // namespace

TaskGraphView::TaskGraphView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), canvas_(new TaskGraphCanvas(this)),
      model_(new TaskGraphModel(document, this)), sorted_(new SortedRows(this)),
      table_(new QTableView(this)), pages_(new QStackedWidget(this)), notice_(new QLabel(this)),
      noticeLine_(new QWidget(this)), again_(new QPushButton(tr("Try Again"), this)),
      networks_(new QComboBox(this)), measures_(new QComboBox(this)), search_(new QLineEdit(this)),
      found_(new QLabel(this)) {
  auto* bar = new QHBoxLayout;
  buildToolBar(bar);
  details_ = new GraphDetails(pages_, detailed_, this);
  buildTable();
  notice_->setWordWrap(true);
  notice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* line = new QHBoxLayout(noticeLine_);
  line->setContentsMargins(10, 4, 10, 6);
  line->addWidget(notice_, 1);
  line->addWidget(again_);
  again_->setToolTip(tr("Lay the graph out once more."));
  noticeLine_->hide();
  pages_->addWidget(canvas_);
  pages_->addWidget(table_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(noticeLine_);
  layout->addWidget(details_, 1);

  valuesTimer_.setSingleShot(true);
  aspectTimer_.setSingleShot(true);
  connect(&valuesTimer_, &QTimer::timeout, this, &TaskGraphView::refreshValues);
  connect(&aspectTimer_, &QTimer::timeout, this, [this] {
    const double change = askedAspect_ > 0 ? aspect() / askedAspect_ : 1;
    if (source_ && canvas_->isFitted() && (change > kAspectChange || change < 1 / kAspectChange))
      request(true);
  });
  connect(canvas_, &TaskGraphCanvas::resized, this,
          [this] { aspectTimer_.start(kAspectMilliseconds); });
  connect(canvas_, &TaskGraphCanvas::taskChosen, &document.selection(),
          &SharedSelection::selectTask);
  // A double-click opens the task's program: what it meets must not move away after its first half.
  connect(canvas_, &TaskGraphCanvas::focusChanged, this, [this](int drawn) {
    if (!source_ || canvas_->scene().isEmpty() || drawn < 0) return; // what was looked at stays
    details_->showNode(source_->graph, canvas_->scene().picture->drawn.nodes[std::size_t(drawn)],
                       QApplication::doubleClickInterval());
  });
  connect(canvas_, &TaskGraphCanvas::taskOpened, this, [this](RowId task) {
    details_->doNotOpen();
    document_.selection().selectTask(task);
    Q_EMIT taskOpened(task);
  });
  connect(canvas_, &TaskGraphCanvas::repeatToggled, this, &TaskGraphView::toggleRepeat);
  connect(again_, &QPushButton::clicked, this, [this] { request(source_ != nullptr); });
  connect(&document, &Document::stateChanged, this, &TaskGraphView::documentChanged);
  for (const auto signal : {&SessionFollower::tasksChanged, &SessionFollower::progressChanged,
                            &SessionFollower::historyChanged})
    connect(&document.follower(), signal, this, &TaskGraphView::scheduleValues);
  connect(&document.notes(), &NoteBook::changed, this, &TaskGraphView::scheduleValues);
  connect(&document.selection(), &SharedSelection::changed, this, &TaskGraphView::followSelection);
  documentChanged();
}

QToolButton* TaskGraphView::button(const QString& text, const QString& tip, bool checkable) {
  auto* made = new QToolButton(this);
  made->setText(text);
  made->setToolTip(tip);
  // A sign as a text says nothing when it is read out.
  made->setAccessibleName(text.front().isLetter() ? text : tip);
  made->setAccessibleDescription(tip);
  made->setCheckable(checkable);
  made->setAutoRaise(true);
  return made;
}

void TaskGraphView::buildToolBar(QHBoxLayout* bar) {
  bar->setContentsMargins(8, 4, 8, 4);
  bar->setSpacing(4);
  networks_->setToolTip(tr("Which of the session's networks is drawn."));
  networks_->setAccessibleName(tr("Network"));
  networks_->hide();
  for (const GraphMeasure measure : kGraphMeasures) {
    measures_->addItem(measureName(measure));
    measures_->setItemData(measures_->count() - 1, measureExplanation(measure), Qt::ToolTipRole);
  }
  measures_->setAccessibleName(tr("Colour of the nodes"));
  measures_->setToolTip(tr("What colours the nodes; each shows it as a number, too."));
  fold_ = button(tr("Fold Repeats"),
                 tr("Draw one block for all that are equal and follow one another (× n). Click on "
                    "a block's badge, or press Space at a node, to see each of its copies."),
                 true);
  fold_->setChecked(true);
  tabled_ = button(tr("Table"), tr("The same graph as a table, a row a node."), true);
  detailed_ = button(tr("Details"),
                     tr("What the node that was clicked is: its operators with their attributes, "
                        "tensors and work, and why they run as one kernel."),
                     true);
  detailed_->setChecked(true);
  auto* out = button(QStringLiteral("−"), tr("Zoom out (−, or the wheel)"), false);
  auto* in = button(QStringLiteral("+"), tr("Zoom in (+, or the wheel)"), false);
  auto* whole =
      button(tr("Fit"), tr("Show the whole network (0, or double-click beside it)"), false);
  search_->setPlaceholderText(tr("Find  (/)"));
  search_->setToolTip(tr("Find nodes by task, operator, name or shape; all words must occur. Enter "
                         "goes to the next, Shift+Enter to the one before, Escape ends."));
  search_->setAccessibleName(tr("Find nodes"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(220);
  search_->installEventFilter(this);
  bar->addWidget(networks_);
  bar->addWidget(measures_);
  bar->addWidget(fold_);
  bar->addWidget(tabled_);
  bar->addWidget(detailed_);
  bar->addStretch();
  bar->addWidget(found_);
  bar->addWidget(search_, 1);
  for (QToolButton* one : {out, in, whole})
    bar->addWidget(one);
  connect(networks_, &QComboBox::activated, this, [this](int index) {
    network_ = static_cast<std::size_t>(index);
    request(false);
  });
  connect(measures_, &QComboBox::activated, this,
          [this](int index) { setMeasure(kGraphMeasures[index]); });
  connect(fold_, &QToolButton::clicked, this, &TaskGraphView::setFolded);
  connect(tabled_, &QToolButton::clicked, this, &TaskGraphView::setTableShown);
  connect(out, &QToolButton::clicked, this, [this] { canvas_->zoomBy(0.8); });
  connect(in, &QToolButton::clicked, this, [this] { canvas_->zoomBy(1.25); });
  connect(whole, &QToolButton::clicked, this, [this] {
    canvas_->fit();
    aspectTimer_.start(0);
  });
  connect(search_, &QLineEdit::textChanged, this, &TaskGraphView::find);
  auto* slash = new QShortcut(QKeySequence(Qt::Key_Slash), this);
  slash->setContext(Qt::WidgetWithChildrenShortcut);
  connect(slash, &QShortcut::activated, search_, [this] {
    search_->setFocus();
    search_->selectAll();
  });
}

void TaskGraphView::buildTable() {
  sorted_->setSourceModel(model_);
  table_->setModel(sorted_);
  setUpTable(table_);
  table_->setAccessibleName(tr("Task graph as a table"));
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder); // the order in which the nodes run
  table_->horizontalHeader()->setSectionsMovable(true);
  // Not the current row: that becomes the first one when the table gets the focus.
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this](const QItemSelection& selected) {
            if (selected.isEmpty()) return;
            const QModelIndex chosen = sorted_->index(selected.front().top(), 0);
            const RowId task = chosen.data(TaskRole).toLongLong();
            if (task && task != document_.selection().current().task)
              document_.selection().selectTask(task);
            // Who selects a task elsewhere did not ask for its node.
            if (source_ && isTableShown() && table_->hasFocus())
              details_->showNode(source_->graph, chosen.data(ItemRole).toInt(), 0);
          });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const RowId task = index.data(TaskRole).toLongLong();
    if (task) Q_EMIT taskOpened(task);
  });
}

// --- what is drawn

void TaskGraphView::documentChanged() {
  if (document_.state() == DocumentState::Loading)
    return; // what is shown stays until there is more
  const RowId session =
      document_.state() == DocumentState::Ready ? document_.session().row().id : RowId(0);
  if (document_.file().path() == shownPath_ && session == shownSession_) return;
  shownPath_ = document_.file().path();
  shownSession_ = session;
  loader_.setPath(shownPath_);
  source_ = nullptr;
  details_->forget();
  problem_.clear();
  network_ = 0;
  canvas_->setPicture(nullptr);
  fillNetworks();
  waiting_ = session != 0;
  if (waiting_ && isVisible()) request(false);
  model_->forget();
  showPage();
}

void TaskGraphView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (waiting_) request(false);
  scheduleValues();
}

void TaskGraphView::fillNetworks() {
  networks_->clear();
  if (shownSession_)
    for (const SessionNetwork& network : document_.session().contents().networks)
      networks_->addItem(qs(network.name));
  networks_->setVisible(networks_->count() > 1);
}

double TaskGraphView::aspect() const {
  return double(std::max(1, canvas_->width())) / std::max(1, canvas_->height());
}

void TaskGraphView::request(bool sameNetwork) {
  waiting_ = false;
  if (!shownSession_) return;
  if (network_ >= document_.session().contents().networks.size())
    return model_->setGraph(nullptr, 0);
  if (!sameNetwork) {
    source_ = nullptr;
    details_->forget();
    expanded_.clear();
    canvas_->setPicture(nullptr);
  }
  const SessionNetwork& network = document_.session().contents().networks[network_];
  GraphRequest asked;
  asked.source = source_;
  asked.expanded = expanded_;
  asked.expandAll = !fold_->isChecked() && expanded_.empty();
  asked.aspect = askedAspect_ = aspect();
  if (network.network != 0 && network_ < document_.session().config().subjects.size()) {
    asked.network = document_.session().config().subjects[network_];
  } else if (const TaskEntry* task = network.weights.empty()
                                         ? nullptr
                                         : document_.session().task(network.weights[0].task)) {
    asked.name = task->row.name;
    asked.dag = task->row.dag;
  }
  asked_ = qs(asked.dag.empty() ? asked.network : asked.name);
  loader_.ask(asked, [this](const GraphAnswer& answer) { take(answer); });
  showPage();
}

void TaskGraphView::take(const GraphAnswer& answer) {
  problem_ = answer.text;
  if (answer.problem == GraphAnswer::Problem::Network)
    problem_ = tr("%1 cannot be rebuilt, so its tasks are listed instead. The reason: %2")
                   .arg(asked_, answer.text);
  if (source_ != answer.source || !source_) {
    source_ = answer.source;
    details_->forget();
    model_->setGraph(source_, network_);
    table_->resizeColumnsToContents();
    for (const int column :
         {TaskGraphModel::Title, TaskGraphModel::Operators, TaskGraphModel::Reads})
      table_->setColumnWidth(column, std::min(table_->columnWidth(column), 320));
  }
  if (answer.picture) {
    expanded_ = answer.picture->expanded;
    canvas_->setPicture(answer.picture);
    enableUnless(fold_,
                 source_->repeats.empty() ? tr("Nothing in this network repeats.") : QString());
    refreshValues();
    find();
    canvas_->setSelectedTask(document_.selection().current().task, false);
  }
  showPage();
}

void TaskGraphView::toggleRepeat(int repeat) {
  if (repeat < 0 || static_cast<std::size_t>(repeat) >= expanded_.size()) return;
  expanded_[static_cast<std::size_t>(repeat)] = !expanded_[static_cast<std::size_t>(repeat)];
  fold_->setChecked(std::find(expanded_.begin(), expanded_.end(), false) != expanded_.end());
  request(true);
}

void TaskGraphView::setFolded(bool folded) {
  fold_->setChecked(folded);
  expanded_.assign(expanded_.size(), !folded);
  if (source_) request(true);
}

void TaskGraphView::setMeasure(GraphMeasure measure) {
  measure_ = measure;
  measures_->setCurrentIndex(static_cast<int>(measure));
  refreshValues();
}

void TaskGraphView::scheduleValues() {
  if (!valuesTimer_.isActive() && isVisible()) valuesTimer_.start(kValuesMilliseconds);
}

void TaskGraphView::refreshValues() {
  if (document_.state() != DocumentState::Ready || !shownSession_) return;
  if (canvas_->scene().picture)
    canvas_->setValues(
        graphValues(document_, network_, canvas_->scene().picture->source->graph, measure_));
  if (pages_->currentWidget() == table_) model_->refresh();
}

// --- what is said

QString TaskGraphView::message() const {
  return noticeLine_->isHidden() ? QString() : notice_->text();
}

NodePane* TaskGraphView::details() const {
  return details_->pane();
}

bool TaskGraphView::isTableShown() const {
  return pages_->currentWidget() == table_;
}

void TaskGraphView::setTableShown(bool shown) {
  tabled_->setChecked(shown);
  showPage();
}

void TaskGraphView::showPage() {
  const bool hasPicture = canvas_->scene().picture != nullptr;
  const bool isLoading = loader_.busy() && !hasPicture;
  QString text = problem_;
  if (isLoading) text = tr("Drawing the network …");
  if (!shownSession_) text = tr("No session is open.");
  notice_->setText(text);
  notice_->setForegroundRole(problem_.isEmpty() ? QPalette::PlaceholderText : QPalette::Text);
  noticeLine_->setVisible(!text.isEmpty());
  again_->setVisible(!problem_.isEmpty() && !isLoading);
  const bool needsTable = !problem_.isEmpty() && !hasPicture;
  QWidget* page = needsTable || tabled_->isChecked() ? static_cast<QWidget*>(table_) : canvas_;
  if (page == table_ && pages_->currentWidget() != table_) model_->refresh();
  pages_->setCurrentWidget(page);
}

// --- selection and search

void TaskGraphView::followSelection() {
  const RowId task = document_.selection().current().task;
  canvas_->setSelectedTask(task, true);
  const int row = model_->rowOf(task);
  const RowId current = table_->currentIndex().data(TaskRole).toLongLong();
  if (row < 0 || current == task) return;
  const QModelIndex index = sorted_->mapFromSource(model_->index(row, 0));
  table_->setCurrentIndex(index);
  table_->scrollTo(index);
}

void TaskGraphView::find() {
  const QStringList words = search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  const GraphScene& scene = canvas_->scene();
  matches_.clear();
  match_ = -1;
  std::vector<bool> marks;
  for (int n = 0; !words.isEmpty() && !scene.isEmpty() &&
                  n < static_cast<int>(scene.picture->drawn.nodes.size());
       ++n) {
    const TaskGraphNode& node = scene.node(n);
    const QString text = QStringList{taskTitle(node.title), qs(node.title), qs(node.name),
                                     scene.texts[static_cast<std::size_t>(n)].operators.join(' '),
                                     shapeText(node.shape)}
                             .join(QLatin1Char('\n'));
    marks.push_back(std::all_of(words.begin(), words.end(), [&](const QString& word) {
      return text.contains(word, Qt::CaseInsensitive);
    }));
    if (marks.back()) matches_.push_back(n);
  }
  canvas_->setMatches(std::move(marks));
  found_->setText(words.isEmpty() ? QString()
                  : matches_.empty()
                      ? tr("nothing found")
                      : tr("%1 found").arg(countText(std::int64_t(matches_.size()))));
}

void TaskGraphView::goToMatch(int step) {
  if (matches_.empty()) return;
  const int count = static_cast<int>(matches_.size());
  match_ = match_ < 0 ? (step > 0 ? 0 : count - 1) : (match_ + step + count) % count;
  const int node = matches_[static_cast<std::size_t>(match_)];
  canvas_->setFocusNode(node, true);
  found_->setText(tr("%1 of %2").arg(match_ + 1).arg(count));
  if (const GraphTask* task = canvas_->scene().task(node))
    document_.selection().selectTask(task->task);
}

bool TaskGraphView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress)
    return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
    goToMatch(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
    return true;
  }
  if (key->key() == Qt::Key_Escape) {
    search_->clear();
    canvas_->setFocus();
    return true;
  }
  return false;
}

// --- what is kept, and export

nlohmann::json TaskGraphView::viewState() const {
  return {{"measure", static_cast<int>(measure_)},
          {"folded", fold_->isChecked()},
          {"table", tabled_->isChecked()},
          {"details", details_->isWanted()}};
}

void TaskGraphView::restoreViewState(const nlohmann::json& state) {
  const int index = storedValue(state, "measure", 0);
  setMeasure(kGraphMeasures[std::clamp(index, 0, int(std::size(kGraphMeasures)) - 1)]);
  setTableShown(storedValue(state, "table", false));
  details_->setWanted(storedValue(state, "details", true));
  setFolded(storedValue(state, "folded", true));
}

Exports TaskGraphView::exports() {
  Exports result;
  result.name = QStringLiteral("task-graph");
  result.title = tr("Task graph of %1").arg(networks_->currentText());
  if (!canvas_->scene().isEmpty()) {
    result.size = canvas_->pictureSize().toSize();
    result.draw = [canvas = canvas_](QPainter& painter) {
      canvas->paintPicture(painter, colours());
    };
  } else { // what there is in its place
    result.size = pages_->size();
    result.draw = [page = pages_](QPainter& painter) { page->render(&painter); };
  }
  model_->refresh();
  result.table = tableOf(table_);
  return result;
}

} // namespace nestwright::ui

#include "moc_task_graph_view.cpp"
