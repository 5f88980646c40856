#include "ui/travel/travel_view.h"

#include "ui/document/document.h"
#include "ui/document/notices.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/travel/target_matrix_model.h"
#include "ui/travel/travel_plot.h"
#include "ui/travel/travel_reader.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr int kMostWithin = 50, kMostPrograms = 12;

} // namespace

TravelView::TravelView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), reader_(new TravelReader(document, this)),
      headline_(sentenceLabel(this)), message_(sentenceLabel(this)),
      pages_(new QStackedWidget(this)), matrixModel_(new TargetMatrixModel(this)),
      programModel_(new TravelProgramModel(TravelProgramModel::Rows::Good, this)),
      portfolioModel_(new TravelProgramModel(TravelProgramModel::Rows::Portfolio, this)) {
  for (QLabel* label : {headline_, message_})
    label->setMinimumWidth(1);
  headline_->setContentsMargins(10, 0, 10, 2);
  message_->setAlignment(Qt::AlignCenter);
  message_->setContentsMargins(24, 24, 24, 24);
  message_->setAccessibleName(tr("Why there is no travel map"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(buildBar());
  layout->addWidget(headline_);
  pages_->addWidget(message_);
  pages_->addWidget(buildMap());
  layout->addWidget(pages_, 1);

  connect(reader_, &TravelReader::changed, this, &TravelView::refresh);
  connect(reader_, &TravelReader::seedsWritten, this, &TravelView::seedsWanted);
  connect(reader_, &TravelReader::seedsFailed, this,
          [this](const QString& why) { document_.notices().warn(why); });
  connect(&document, &Document::stateChanged, this, [this] {
    if (isVisible()) reader_->read();
    refresh();
  });
  connect(&Theme::instance(), &Theme::changed, this, &TravelView::restyle);
  restyle();
  refresh();
}

QWidget* TravelView::buildBar() {
  auto* bar = new QWidget(this);
  auto* flow = new FlowLayout(bar, 6);
  flow->setContentsMargins(8, 4, 8, 0);
  tasks_ = choiceBox(this, {}, tr("Task"), tr("Of which task: all of them together, or one."));
  within_ = numberBox(this, 0, kMostWithin, 5, tr("Good within"),
                      tr("A program is good on a target when its time is at most so much above "
                         "the best one's there."));
  within_->setSuffix(QStringLiteral(" %"));
  most_ = numberBox(this, 0, kMostPrograms, 0, tr("At most"),
                    tr("Programs of a task's portfolio; 0: as many as it takes to be good on all "
                       "targets."));
  most_->setSpecialValueText(tr("as it takes"));
  again_ = textButton(this, tr("Read Again"), tr("Read the records once more, with new ones."));
  stop_ = textButton(this, tr("Stop"), tr("Stop reading the records."));
  seed_ = textButton(this, tr("Seed a New Session …"),
                     tr("Write the portfolios' programs into a file beside the document, and begin "
                        "a session that measures them first: on another target."));
  flow->addWidget(tasks_);
  flow->addWidget(labelled(within_));
  flow->addWidget(slider(within_, kMostWithin));
  flow->addWidget(labelled(most_));
  flow->addWidget(slider(most_, kMostPrograms));
  for (QToolButton* button : {seed_, again_, stop_})
    flow->addWidget(button);
  connect(tasks_, &QComboBox::activated, this, &TravelView::showMap);
  for (QSpinBox* box : {within_, most_})
    connect(box, &QSpinBox::valueChanged, this, &TravelView::look);
  connect(again_, &QToolButton::clicked, this, [this] { reader_->read(true); });
  connect(stop_, &QToolButton::clicked, reader_, &TravelReader::stop);
  connect(seed_, &QToolButton::clicked, reader_, &TravelReader::writeSeeds);
  return bar;
}

QSlider* TravelView::slider(QSpinBox* box, int high) {
  auto* slider = new QSlider(Qt::Horizontal, this);
  slider->setRange(0, high);
  slider->setValue(box->value());
  slider->setAccessibleName(box->accessibleName());
  slider->setToolTip(box->toolTip());
  slider->setMinimumWidth(70);
  slider->setMaximumWidth(140);
  connect(slider, &QSlider::valueChanged, box, &QSpinBox::setValue);
  connect(box, &QSpinBox::valueChanged, slider, &QSlider::setValue);
  return slider;
}

QTableView* TravelView::table(TravelProgramModel* model, const QString& name,
                              const QString& accessible) {
  auto* table = new QTableView(this);
  auto* sorted = new SortedRows(table);
  sorted->setSourceModel(model);
  table->setModel(sorted);
  table->setObjectName(name);
  table->setAccessibleName(accessible);
  setUpTable(table);
  table->setSortingEnabled(true);
  table->sortByColumn(-1, Qt::AscendingOrder);
  connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this, table, model](const QModelIndex& current) {
            if (current.isValid()) rowChosen(table, *model);
          });
  return table;
}

QWidget* TravelView::buildMap() {
  matrix_ = new QTableView(this);
  matrix_->setModel(matrixModel_);
  matrix_->setObjectName(QStringLiteral("targetMatrix"));
  matrix_->setAccessibleName(tr("Rank correlation of each two targets"));
  matrix_->setToolTip(tr("Kendall's tau: 1 where two targets order the programs alike, 0 where one "
                         "order says nothing of the other, -1 where it is turned round. Choose a "
                         "cell for the plot."));
  matrix_->setSelectionMode(QAbstractItemView::SingleSelection);
  matrix_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  matrix_->setShowGrid(false);
  addCopying(matrix_);
  matrix_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  matrix_->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);
  matrix_->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  connect(matrix_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& cell) {
            if (!cell.isValid() || cell.row() == cell.column()) return;
            a_ = static_cast<std::size_t>(cell.column());
            b_ = static_cast<std::size_t>(cell.row());
            showPlot();
          });
  plot_ = new TravelPlot(this);
  connect(plot_, &TravelPlot::picked, this, [this](std::size_t task, std::size_t program) {
    choose({task, program, {}, {}});
  });
  programs_ = table(programModel_, QStringLiteral("travellingPrograms"),
                    tr("Programs that are good on a target"));
  portfolio_ = table(portfolioModel_, QStringLiteral("portfolio"), tr("Portfolio"));

  auto* left = new QSplitter(Qt::Vertical, this);
  left->addWidget(matrix_);
  left->addWidget(plot_);
  left->setStretchFactor(0, 1);
  left->setStretchFactor(1, 3);
  auto* right = new QSplitter(Qt::Vertical, this);
  right->addWidget(portfolio_);
  right->addWidget(programs_);
  auto* all = new QSplitter(Qt::Horizontal, this);
  all->addWidget(left);
  all->addWidget(right);
  for (QSplitter* splitter : {left, right, all})
    splitter->setChildrenCollapsible(false);
  left->setSizes({100, 260});
  all->setSizes({400, 400});
  return all;
}

void TravelView::restyle() {
  setTextColour(message_, colours().dim);
  matrix_->verticalHeader()->setDefaultSectionSize(tableRowHeight() + 4);
}

void TravelView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  reader_->read();
  refresh();
}

// --- what is shown

QString TravelView::note() const {
  return isEmpty() ? message_->text() : headline_->text();
}

bool TravelView::isEmpty() const {
  return pages_->currentIndex() == 0;
}

std::optional<std::size_t> TravelView::task() const {
  const int task = tasks_->currentData().toInt();
  return task < 0 || tasks_->currentIndex() < 0 ? std::nullopt
                                                : std::optional(static_cast<std::size_t>(task));
}

void TravelView::refresh() {
  const bool ready = document_.state() == DocumentState::Ready, reading = reader_->isReading();
  QString message;
  if (!ready)
    message = tr("Open a document to compare targets.");
  else if (reading)
    message = tr("Reading the records …");
  else
    message = reader_->problem();
  message_->setText(message);
  const bool hasMap = reader_->hasMap() && message.isEmpty();
  pages_->setCurrentIndex(hasMap ? 1 : 0);
  headline_->setVisible(hasMap);
  enableUnless(seed_, hasMap ? QString() : message);
  again_->setVisible(!reading);
  enableUnless(again_, document_.whyNotReady());
  stop_->setVisible(reading);
  for (QWidget* field : std::initializer_list<QWidget*>{tasks_, within_, most_})
    enableUnless(field, document_.whyNotReady());
  fillTasks();
  showMap();
}

void TravelView::fillTasks() {
  const QVariant before = tasks_->currentData();
  const QSignalBlocker quiet(tasks_);
  tasks_->clear();
  tasks_->addItem(tr("All tasks"), -1);
  const std::vector<TaskTimes>& tasks = reader_->answer().times->tasks;
  if (reader_->hasMap())
    for (std::size_t i = 0; i < tasks.size(); ++i)
      tasks_->addItem(taskTitle(tasks[i].task.name), int(i));
  tasks_->setCurrentIndex(std::max(0, tasks_->findData(before)));
}

void TravelView::showMap() {
  const TravelAnswer answer = reader_->hasMap() ? reader_->answer() : TravelAnswer{};
  const std::size_t targets = answer.times->targets.size();
  if (a_ >= targets || b_ >= targets || a_ == b_) a_ = 0, b_ = 1;
  if (chosen_ && (chosen_->task >= answer.map.tasks.size())) chosen_.reset();
  matrixModel_->show(answer, task());
  programModel_->show(answer, task());
  portfolioModel_->show(answer, task());
  headline_->setText(headline());
  if (programModel_->columnCount() > TravelProgramModel::FirstTarget)
    for (QTableView* table : {programs_, portfolio_})
      table->resizeColumnsToContents();
  showPlot();
}

void TravelView::showPlot() {
  TravelScene scene;
  if (reader_->hasMap()) scene.answer = reader_->answer();
  scene.task = task();
  scene.a = a_;
  scene.b = b_;
  scene.chosen = chosen_;
  plot_->show(std::move(scene));
}

QString TravelView::headline() const {
  const TravelAnswer& answer = reader_->answer();
  if (!reader_->hasMap()) return {};
  std::array<std::size_t, kTravels> counts{};
  std::size_t programs = 0, notCovered = 0, chosen = 0;
  for (std::size_t i = 0; i < answer.map.tasks.size(); ++i) {
    if (task() && *task() != i) continue;
    const TaskTravel& travel = answer.map.tasks[i];
    programs += answer.times->tasks[i].programs.size();
    for (std::size_t kind = 0; kind < kTravels; ++kind)
      counts[kind] += travel.travels.counts[kind];
    chosen += travel.portfolio.programs.size();
    if (!travel.portfolio.coversAll()) ++notCovered;
  }
  QString text = tr("%1 on %2 targets: %3 good everywhere, %4 on one alone. The portfolio "
                    "has %5")
                     .arg(programsText(programs), countText(answer.times->targets.size()),
                          countText(counts[std::size_t(Travel::Everywhere)]),
                          countText(counts[std::size_t(Travel::OneTarget)]), countText(chosen));
  text += notCovered == 0 ? tr(" and is good on all targets.")
                          : tr("; of %1 it is not good on all targets.").arg(tasksText(notCovered));
  if (answer.times->onOneTarget > 0)
    text +=
        tr(" Left out, since on one target alone: %1.").arg(tasksText(answer.times->onOneTarget));
  return text;
}

// --- what the user does

void TravelView::look() {
  reader_->look(within_->value() / 100.0, static_cast<std::size_t>(most_->value()));
}

void TravelView::rowChosen(const QTableView* table, const TravelProgramModel& model) {
  const auto* sorted = static_cast<const SortedRows*>(table->model());
  choose(model.row(sorted->mapToSource(table->currentIndex()).row()));
}

/// Every view goes to the program's record, as far as the session has it.
void TravelView::choose(const TravelRow& row) {
  chosen_ = row;
  plot_->choose(chosen_);
  for (const DataSource& source : reader_->answer().times->tasks[row.task].sourcesOf(row.program))
    if (source.record != 0 && document_.session().task(source.task)) {
      document_.selection().select({source.task, source.record});
      return;
    }
}

// --- what it gives away

Exports TravelView::exports() {
  Exports exports = seenOf(this);
  exports.name = QStringLiteral("travel-map");
  exports.title = tr("Travel map of %1").arg(tasks_->currentText());
  exports.text = note();
  exports.tableName = tr("Portfolio");
  exports.table = tableOf(portfolio_);
  exports.more = {{tr("Programs that are good on a target"), tableOf(programs_)},
                  {tr("Rank correlation of each two targets"), matrixModel_->exportTable()}};
  if (plot_->isVisibleTo(this)) plot_->exportPicture(exports); // else there is nothing to draw
  return exports;
}

nlohmann::json TravelView::viewState() const {
  return {{"within", within_->value()}, {"most", most_->value()}};
}

void TravelView::restoreViewState(const nlohmann::json& state) {
  within_->setValue(storedValue(state, "within", 5));
  most_->setValue(storedValue(state, "most", 0));
}

} // namespace nestwright::ui

#include "moc_travel_view.cpp"
