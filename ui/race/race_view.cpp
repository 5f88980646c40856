#include "ui/race/race_view.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/flow_splitter.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/race/race_control.h"
#include "ui/race/race_models.h"
#include "ui/race/race_words.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

/// So wide it has the tables beside the curves.
constexpr int kTablesBeside = 760;

QString resumeTip() {
  return RaceView::tr("Go on with the race on this machine, where it was left.");
}

} // namespace

RaceView::RaceView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), reader_(new RaceReader(document, this)),
      control_(new RaceControl(document, this)), taskModel_(new RaceTaskModel(this)),
      duelModel_(new RaceDuelModel(this)), sessionModel_(new RaceSessionModel(this)),
      pages_(new QStackedWidget(this)) {
  pages_->addWidget(buildEmpty());
  pages_->addWidget(buildRace());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);
  connect(reader_, &RaceReader::changed, this, &RaceView::refresh);
  connect(control_, &RaceControl::changed, this, &RaceView::showCommands);
  connect(control_, &RaceControl::made, this, [this](const std::string& race) {
    task_ = 0;
    marked_ = -1;
    reader_->choose(race);
  });
  connect(&Theme::instance(), &Theme::changed, this, &RaceView::restyle);
  restyle();
  refresh();
}

QWidget* RaceView::buildEmpty() {
  auto* page = new QWidget(this);
  message_ = sentenceLabel(page);
  message_->setAccessibleName(tr("Why no race is shown"));
  message_->setAlignment(Qt::AlignCenter);
  message_->setMinimumWidth(1);
  copy_ =
      textButton(page, tr("Copy Command"),
                 tr("The command to the clipboard, to be pasted into a terminal. Tasks, policies "
                    "and sizes are an example: change them as you like."));
  connect(copy_, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(raceCommand(document_.file().path())); });
  first_ = newButton(page);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addStretch(1);
  buttons->addWidget(first_);
  buttons->addWidget(copy_);
  buttons->addStretch(1);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(24, 16, 24, 16);
  column->addStretch(2);
  column->addWidget(message_);
  column->addSpacing(10);
  column->addLayout(buttons);
  column->addStretch(3);
  return page;
}

QToolButton* RaceView::newButton(QWidget* page) {
  QToolButton* button =
      textButton(page, tr("New Race …"),
                 tr("Choose tasks, policies and a budget, and let them race on this machine."));
  connect(button, &QToolButton::clicked, this, &RaceView::newRaceWanted);
  return button;
}

QWidget* RaceView::buildRace() {
  auto* page = new QWidget(this);
  races_ = choiceBox(page, {}, tr("Race"), tr("The races of this document, the newest first."));
  taskBox_ = choiceBox(page, {}, tr("Task"), tr("Of which task the curves are."));
  for (QComboBox* box : {races_, taskBox_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  }
  connect(taskBox_, &QComboBox::activated, this, [this](int index) { tasks_->selectRow(index); });
  connect(races_, &QComboBox::activated, this, [this](int index) {
    task_ = 0;
    marked_ = -1;
    reader_->choose(races_->itemData(index).toString().toStdString());
  });
  verdict_ = sentenceLabel(page);
  verdict_->setAccessibleName(tr("What comes out of the race"));
  progress_ = sentenceLabel(page);
  progress_->setAccessibleName(tr("How far the race is"));
  for (QLabel* label : {verdict_, progress_})
    label->setMinimumWidth(1);

  plot_ = new SeriesPlot(page, tr("Best throughput by racer, with its interval over seeds"));
  connect(plot_, &SeriesPlot::picked, this, [this](double x) {
    marked_ = x;
    showCurves();
  });
  duels_ = table(duelModel_, QStringLiteral("raceDuels"), tr("Who wins against whom"));
  tasks_ = table(taskModel_, QStringLiteral("raceTasks"), tr("Tasks of the race"));
  sessions_ = table(sessionModel_, QStringLiteral("raceSessions"), tr("Sessions of the race"));
  connect(tasks_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (current.isValid()) taskChosen(current.row());
          });
  tables_ = new QTabWidget(page);
  tables_->setDocumentMode(true);
  tables_->addTab(duels_, tr("Who Wins"));
  tables_->addTab(tasks_, tr("Tasks"));
  tables_->addTab(sessions_, tr("Sessions"));
  auto* all = new FlowSplitter(kTablesBeside, page);
  all->addWidget(plot_);
  all->addWidget(tables_);
  all->setChildrenCollapsible(false);
  all->setStretchFactor(0, 3);
  all->setStretchFactor(1, 2);
  all->setSizes({560, 440});

  auto* choices = new QHBoxLayout;
  choices->setSpacing(8);
  choices->addWidget(races_, 3);
  choices->addWidget(taskBox_, 2);
  choices->addStretch(1);
  run_ = textButton(page, tr("Resume"), resumeTip());
  connect(run_, &QToolButton::clicked, this, [this] {
    const Race& race = reader_->answer().result.race;
    control_->runs(race.name) ? control_->pause() : control_->goOn(race);
  });
  another_ = newButton(page);
  choices->addWidget(run_);
  choices->addWidget(another_);
  auto* head = new QVBoxLayout;
  head->setContentsMargins(10, 6, 10, 2);
  head->setSpacing(3);
  head->addLayout(choices);
  head->addWidget(verdict_);
  head->addWidget(progress_);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(head);
  column->addWidget(all, 1);
  return page;
}

QTableView* RaceView::table(QAbstractItemModel* model, const QString& name,
                            const QString& accessible) {
  auto* table = new QTableView(this);
  table->setModel(model);
  table->setObjectName(name);
  table->setAccessibleName(accessible);
  setUpTable(table);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  return table;
}

void RaceView::taskChosen(int task) {
  task_ = static_cast<std::size_t>(task);
  marked_ = -1;
  taskBox_->setCurrentIndex(task);
  showCurves();
  const RowId row = reader_->answer().result.race.tasks[task_].task;
  // The other views follow, as far as the session that is shown has it.
  if (document_.session().task(row) && document_.selection().current().task != row)
    document_.selection().selectTask(row);
}

void RaceView::restyle() {
  setTextColour(message_, colours().dim);
  QFont bold = QApplication::font();
  bold.setBold(true);
  verdict_->setFont(bold);
  progress_->setFont(smallFont());
  setTextColour(progress_, colours().dim);
}

void RaceView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  reader_->follow(true);
}

void RaceView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  reader_->follow(false);
}

// --- what is shown

bool RaceView::isEmpty() const {
  return pages_->currentIndex() == 0;
}

QString RaceView::note() const {
  return isEmpty() ? message_->text() : progress_->text();
}

QString RaceView::verdict() const {
  return verdict_->text();
}

void RaceView::refresh() {
  const RaceAnswer& answer = reader_->answer();
  const QString file = document_.file().path();
  const bool none = reader_->isRead() && reader_->problem().isEmpty() && !answer.hasRace();
  pages_->setCurrentIndex(answer.hasRace() ? 1 : 0);
  copy_->setVisible(none);
  if (!answer.hasRace())
    message_->setText(document_.state() != DocumentState::Ready
                          ? tr("Open a document to look at its races.")
                      : !reader_->problem().isEmpty() ? reader_->problem()
                      : none                          ? howToRace(raceCommand(file))
                                                      : tr("Reading the races …"));
  fillRaces();
  verdict_->setText(verdictText(answer.result));
  taskModel_->show(answer.result);
  duelModel_->show(answer.result);
  sessionModel_->show(answer.result);
  if (task_ >= answer.result.race.tasks.size()) task_ = 0;
  {
    const QSignalBlocker quiet(tasks_->selectionModel());
    tasks_->selectRow(static_cast<int>(task_));
    taskBox_->setCurrentIndex(static_cast<int>(task_));
  }
  for (QTableView* table : {duels_, tasks_, sessions_})
    table->resizeColumnsToContents();
  showCurves();
  showCommands();
}

void RaceView::showCommands() {
  const RaceAnswer& answer = reader_->answer();
  const Race& race = answer.result.race;
  const QString why = control_->whyNotStart();
  for (QToolButton* button : {first_, another_})
    enableUnless(button, why);
  first_->setVisible(document_.state() == DocumentState::Ready);
  if (!answer.hasRace()) return;
  const bool runs = control_->runs(race.name);
  progress_->setText(runs ? runsHereText(answer, control_->isPausing(), control_->moment())
                          : progressText(answer, document_.file().path()));
  run_->setVisible(runs || !race.isOver());
  run_->setText(runs ? tr("Pause") : tr("Resume"));
  run_->setToolTip(runs ? tr("The sessions of the race are paused; it goes on where it was.")
                        : resumeTip());
  QString cannot = runs ? QString() : control_->whyNotGoOn(race);
  if (runs && control_->isPausing()) cannot = tr("It is being paused.");
  if (!runs && cannot.isEmpty() && !answer.runner.empty())
    cannot = tr("It is run by %1.").arg(qs(answer.runner));
  enableUnless(run_, cannot);
}

void RaceView::fillRaces() {
  const RaceAnswer& answer = reader_->answer();
  const QSignalBlocker quiet(races_);
  races_->clear();
  for (const RaceChoice& race : answer.races)
    races_->addItem(titleOf(race), qs(race.name));
  races_->setCurrentIndex(races_->findData(qs(answer.result.race.name)));
  // Of a single one all is said elsewhere.
  races_->setVisible(answer.races.size() > 1);
  taskBox_->setVisible(answer.result.race.tasks.size() > 1);
  const QSignalBlocker quietToo(taskBox_);
  taskBox_->clear();
  for (const RaceTask& task : answer.result.race.tasks)
    taskBox_->addItem(taskTitle(task.name));
}

void RaceView::showCurves() {
  const RaceAnswer& answer = reader_->answer();
  plot_->show(answer.hasRace() ? raceScene(answer.result, task_, marked_) : SeriesScene());
}

// --- what it gives away

Exports RaceView::exports() {
  Exports exports = seenOf(this);
  const RaceAnswer& answer = reader_->answer();
  if (!answer.hasRace()) return exports;
  exports.name = QStringLiteral("race-") + qs(answer.result.race.name);
  exports.title = titleOf(answer.races[std::size_t(std::max(0, races_->currentIndex()))]);
  exports.text = verdict() + QLatin1Char('\n') + note();
  exports.tableName = tr("Who wins against whom");
  exports.table = tableOf(duels_);
  exports.more = {{tr("Tasks of the race"), tableOf(tasks_)},
                  {tr("Curves"), curveTable(answer.result)},
                  {tr("Sessions"), tableOf(sessions_)}};
  plot_->exportPicture(exports);
  return exports;
}

nlohmann::json RaceView::viewState() const {
  return {{"race", reader_->chosen()}, {"task", task_}};
}

void RaceView::restoreViewState(const nlohmann::json& state) {
  task_ = static_cast<std::size_t>(std::max(0, storedValue(state, "task", 0)));
  reader_->choose(storedText(state, "race"));
}

} // namespace nestwright::ui

#include "moc_race_view.cpp"
