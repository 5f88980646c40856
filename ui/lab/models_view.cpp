#include "ui/lab/models_view.h"

#include "core/session/run/row_contents.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/settings.h"
#include "ui/kit/cell_delegates.h"
#include "ui/kit/elastic_column.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/agreement_plot.h"
#include "ui/lab/figure_model.h"
#include "ui/lab/judged_task_model.h"
#include "ui/lab/lab_parts.h"
#include "ui/lab/order_plot.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QProgressBar>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

/// Of the intervals: enough for three digits, and quick for thousands of tasks.
constexpr std::size_t kResamples = 2000;
/// A view as wide as this has the worst tasks beside their programs.
constexpr int kTasksBeside = 700;

QStringList modelsIn(const QMimeData* data) {
  QStringList models;
  for (const QUrl& url : data->urls())
    if (const QString file = url.toLocalFile();
        file.endsWith(QStringLiteral(".nwm")) || file.endsWith(QStringLiteral(".nwdb")))
      models << file;
  return models;
}

} // namespace

ModelsView::ModelsView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), list_(new QListWidget(this)),
      pages_(new QTabWidget(this)) {
  setAccessibleName(tr("Comparison of cost models"));
  setAcceptDrops(true);
  list_->setAccessibleName(tr("Models to compare"));
  list_->setToolTip(tr("Trained models: files (.nwm), or what sessions learned. Drop files here; "
                       "Delete takes the selected ones out. Random and oracle always stand beside "
                       "them."));
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list_->setAlternatingRowColors(true);
  list_->setTextElideMode(Qt::ElideMiddle);
  list_->installEventFilter(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  auto* box = new QHBoxLayout;
  box->setContentsMargins(8, 0, 8, 2);
  box->addWidget(list_);
  layout->addLayout(box);
  state_ = wordsLabel(this);
  notes_ = wordsLabel(this);
  layout->addWidget(state_);
  layout->addWidget(notes_);
  pages_->setDocumentMode(true);
  const auto page = [this](QWidget* widget, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(widget, title), tip);
  };
  page(buildNetworks(), tr("Networks"),
       tr("What searches get from each model, network by network."));
  page(buildTwoModels(), tr("Two Models"), tr("Two models against each other, task by task."));
  page(buildWorstTasks(), tr("Worst Tasks"),
       tr("The tasks that the first model is worst on, and in which order it puts their "
          "programs."));
  layout->addWidget(pages_, 1);
  layout->addStretch(0);
  connect(&judging_, &Background::busyChanged, this, &ModelsView::say);
  connect(&judging_, &Background::progress, this, [this](const QString& what) {
    doing_ = what;
    say();
  });
  connect(&document, &Document::stateChanged, this, [this] {
    fillSessions();
    say();
  });
  connect(&Theme::instance(), &Theme::changed, this, &ModelsView::restyle);
  restyle();
  fillSessions();
  showList();
  fillModels();
  say();
}

QWidget* ModelsView::buildBar() {
  auto* bar = new QWidget(this);
  add_ = flatButton(bar, tr("Add Models …"),
                    tr("Trained models: files that nestwright train wrote, or documents whose "
                       "newest session learned one."));
  sessions_ = flatButton(bar, tr("Session's Model"),
                         tr("The cost model that a session of this document has learned."));
  sessionMenu_ = new QMenu(sessions_);
  sessions_->setMenu(sessionMenu_);
  sessions_->setPopupMode(QToolButton::InstantPopup);
  remove_ = flatButton(bar, tr("Remove"), tr("Take the selected models out of the comparison."));
  networks_ = new QLineEdit(bar);
  networks_->setAccessibleName(tr("Networks to score"));
  networks_->setPlaceholderText(tr("networks that are held out"));
  networks_->setToolTip(tr("Networks or sets of them by whose tasks and weights models are scored, "
                           "with blanks between; empty: those that the data set holds out, or else "
                           "those that the files' sessions tune."));
  networks_->setClearButtonEnabled(true);
  networks_->setMinimumWidth(150);
  k_ = choiceBox(bar, {}, tr("Favourites"),
                 tr("How many of a model's favourites of each task a search would measure."));
  for (const std::size_t k : JudgeWish().ks)
    k_->addItem(tr("top %1").arg(k));
  k_->setCurrentIndex(1);
  compare_ = textButton(bar, tr("Compare"),
                        tr("Ask every model for its order of the tested programs. Reads the data "
                           "set's test part, or all of it where nothing is kept to test on."));
  cancel_ = flatButton(bar, tr("Cancel"), tr("Stop comparing."));
  busy_ = new QProgressBar(bar);
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->setFixedSize(90, 8);
  busy_->setAccessibleName(tr("Comparing"));
  busy_->setToolTip(tr("The models are being asked."));
  auto* flow = new FlowLayout(bar, 3);
  flow->setContentsMargins(4, 2, 4, 2);
  for (QWidget* part : std::initializer_list<QWidget*>{add_, sessions_, remove_, networks_, k_,
                                                       compare_, cancel_, busy_})
    flow->addWidget(part);
  connect(add_, &QToolButton::clicked, this, [this] {
    addModels(
        QFileDialog::getOpenFileNames(this, tr("Add Models"), Settings::folder(),
                                      tr("Models and documents (*.nwm *.nwdb);;All files (*)")));
  });
  connect(remove_, &QToolButton::clicked, this, &ModelsView::removeModels);
  connect(compare_, &QToolButton::clicked, this, &ModelsView::compare);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    judging_.cancel();
    problem_ = tr("The comparison was stopped.");
    say();
  });
  connect(networks_, &QLineEdit::editingFinished, this, [this] {
    if (networks_->isModified()) changed();
    networks_->setModified(false);
  });
  connect(k_, &QComboBox::currentIndexChanged, this, [this] {
    showFigures();
    showPair();
  });
  connect(list_, &QListWidget::itemSelectionChanged, this,
          [this] { remove_->setEnabled(!list_->selectedItems().isEmpty()); });
  return bar;
}

QWidget* ModelsView::buildNetworks() {
  figures_ = new FigureModel(this);
  figureTable_ = new QTableView(this);
  figureTable_->setModel(figures_);
  figureTable_->setAccessibleName(tr("Figures of the models"));
  setUpTable(figureTable_);
  figureTable_->setItemDelegate(new CellBarDelegate(figureTable_));
  return figureTable_;
}

QWidget* ModelsView::buildTwoModels() {
  auto* page = new QWidget(this);
  a_ = choiceBox(page, {}, tr("First model"),
                 tr("The model along the horizontal axis, and the one whose worst tasks are "
                    "listed."));
  b_ = choiceBox(page, {}, tr("Second model"), tr("The model along the vertical axis."));
  for (QComboBox* box : {a_, b_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    connect(box, &QComboBox::activated, this, &ModelsView::showPair);
  }
  difference_ = wordsLabel(page);
  difference_->setAccessibleName(tr("Difference of the two models"));
  agreement_ = new AgreementPlot(page);
  auto* versus = new QLabel(tr("against"), page);
  auto* flow = new FlowLayout(nullptr, 4);
  flow->setContentsMargins(6, 4, 6, 2);
  for (QWidget* part : std::initializer_list<QWidget*>{a_, versus, b_})
    flow->addWidget(part);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(flow);
  column->addWidget(difference_);
  column->addWidget(agreement_, 1);
  connect(agreement_, &AgreementPlot::picked, this, &ModelsView::chooseTask);
  return page;
}

QWidget* ModelsView::buildWorstTasks() {
  worst_ = new JudgedTaskModel(this);
  worstTable_ = new QTableView(this);
  worstTable_->setModel(worst_);
  worstTable_->setAccessibleName(tr("Tasks, the worst first"));
  setUpTable(worstTable_);
  for (const int column : {JudgedTaskModel::Score, JudgedTaskModel::Other})
    worstTable_->setItemDelegateForColumn(column, new CellBarDelegate(worstTable_));
  worstTable_->setSortingEnabled(true);
  worstTable_->sortByColumn(JudgedTaskModel::Score, Qt::AscendingOrder);
  worstTable_->setMinimumSize(200, 90);
  new ElasticColumn(worstTable_, JudgedTaskModel::Task, QStringLiteral("Conv 3x3 512→512"),
                    JudgedTaskModel::Picked);
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(worstTable_, signal, this,
            [this](const QModelIndex& index) { chooseTask(index.data(ItemRole).toInt()); });
  connect(worstTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid() && index.data(ItemRole).toInt() != task_)
              chooseTask(index.data(ItemRole).toInt());
          });
  order_ = new OrderPlot(this);
  split_ = new QSplitter(Qt::Vertical, this);
  split_->setHandleWidth(1);
  split_->setChildrenCollapsible(false);
  split_->addWidget(worstTable_);
  split_->addWidget(order_);
  split_->setStretchFactor(0, 1);
  split_->setStretchFactor(1, 1);
  return split_;
}

void ModelsView::restyle() {
  const QString dim = QStringLiteral("color: %1").arg(colours().dim.name());
  for (QLabel* label : {notes_}) {
    label->setStyleSheet(dim);
    label->setFont(Theme::instance().smallFont());
  }
  list_->setFixedHeight(3 * Theme::instance().rowHeight() + 4);
  fitColumn(figureTable_, 0, QStringLiteral("Top-10 of mobilenet_v2:batch=1"));
  for (int column = 1; column < figures_->columnCount(); ++column)
    fitColumn(figureTable_, column, QStringLiteral("0.888 (0.888 … 0.888)"));
  for (const int column : {JudgedTaskModel::Score, JudgedTaskModel::Other})
    fitColumn(worstTable_, column, QStringLiteral("0.888"));
  for (const int column : {JudgedTaskModel::Picked, JudgedTaskModel::Best})
    fitColumn(worstTable_, column, QStringLiteral("888.8 µs"));
  for (const int column : {JudgedTaskModel::Pairs, JudgedTaskModel::Correlation,
                           JudgedTaskModel::Programs, JudgedTaskModel::Failed})
    fitColumn(worstTable_, column, QStringLiteral("88.8 %"));
}

// --- what is compared

void ModelsView::setChoice(const DataChoice& choice) {
  if (choice == choice_) return;
  choice_ = choice;
  changed();
}

QStringList ModelsView::models() const {
  return models_;
}

void ModelsView::addModels(const QStringList& models) {
  bool added = false;
  for (const QString& model : models) {
    const QString file = model.section(QLatin1Char('#'), 0, 0);
    const QString whole = QFileInfo(file).absoluteFilePath() + model.mid(file.size());
    if (models_.contains(whole)) continue;
    models_ << whole;
    added = true;
  }
  if (!added) return;
  showList();
  changed();
}

void ModelsView::removeModels() {
  for (const QListWidgetItem* item : list_->selectedItems())
    models_.removeAll(item->data(Qt::UserRole).toString());
  showList();
  changed();
}

bool ModelsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Delete)) {
    removeModels();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void ModelsView::showList() {
  list_->clear();
  for (const QString& model : models_) {
    auto* item = new QListWidgetItem(
        QStringLiteral("%1 — %2").arg(modelTitle(model.toStdString()),
                                      QFileInfo(model.section(QLatin1Char('#'), 0, 0)).path()),
        list_);
    item->setData(Qt::UserRole, model);
    item->setToolTip(model);
  }
  remove_->setEnabled(false);
}

void ModelsView::fillSessions() {
  sessionMenu_->clear();
  if (document_.state() == DocumentState::Ready)
    for (const SessionRow& session : document_.session().contents().sessions) {
      if (isImport(session)) continue;
      const QString name = QStringLiteral("%1#%2").arg(document_.file().path()).arg(session.id);
      sessionMenu_->addAction(tr("Session %1 · %2").arg(session.id).arg(qs(session.title)), this,
                              [this, name] { addModels({name}); });
    }
  sessions_->setEnabled(!sessionMenu_->isEmpty());
}

void ModelsView::changed() {
  stale_ = true;
  problem_.clear();
  say();
}

void ModelsView::compare() {
  JudgeWish wish;
  wish.choice = choice_;
  for (const QString& model : models_)
    wish.models.push_back(model.toStdString());
  wish.networks = networkNames(networks_->text());
  wish.bootstrap.resamples = kResamples;
  wish.threads = 1;
  wish.passOver = true;
  stale_ = false;
  problem_.clear();
  doing_.clear();
  judging_.ask<Judgement>(
      [wish](const Job& job) {
        return judgeModels(wish, {[&job](const std::string& what) { job.tell(qs(what)); },
                                  [&job] { job.check(); }});
      },
      [this](Judgement judgement) { take(std::move(judgement)); },
      [this](const QString& why) { fail(why); });
  say();
}

void ModelsView::take(Judgement judgement) {
  judged_ = std::make_shared<const Judgement>(std::move(judgement));
  task_ = judged_->evaluation.tasks.empty() ? -1 : 0;
  fillModels();
  showFigures();
  showPair();
  // The worst one is looked at first.
  if (worst_->rowCount() > 0) chooseTask(worst_->row(0).task);
  say();
}

void ModelsView::fail(const QString& why) {
  problem_ = why;
  say();
}

/// What there is, what is going on, and what to do.
void ModelsView::say() {
  const bool ready = document_.state() == DocumentState::Ready;
  const bool busy = judging_.isBusy();
  busy_->setVisible(busy);
  cancel_->setVisible(busy);
  for (QWidget* control : std::initializer_list<QWidget*>{add_, list_, networks_})
    control->setEnabled(ready);
  compare_->setEnabled(ready && !busy && !choice_.files.empty());
  QString text;
  if (!ready)
    text = tr("Open a document to compare cost models on its records.");
  else if (busy)
    text = doing_.isEmpty() ? tr("Comparing …") : tr("Comparing: %1 …").arg(doing_);
  else if (!problem_.isEmpty())
    text = QStringLiteral("✗ ") + problem_;
  else if (!judged_)
    text = models_.isEmpty()
               ? tr("Add models to see how they do on the data set beside one that knows nothing "
                    "and one that knows all. A model is a file that Training or nestwright train "
                    "wrote, or what a session has learned.")
               : tr("Press Compare to ask the models for their order of the tested programs.");
  else if (stale_)
    text = tr("The models or the data have changed since. Press Compare to ask again.");
  else
    text = tr("%1 programs of %2 tasks, %3 networks. In brackets 95 % by bootstrap over tasks.")
               .arg(countText(qint64(judged_->programs.size())),
                    countText(qint64(judged_->evaluation.tasks.size())),
                    countText(qint64(judged_->evaluation.networks.size())));
  state_->setText(text);
  QStringList notes;
  if (judged_ && !busy) {
    const ModelEvaluation& evaluation = judged_->evaluation;
    for (const RefusedModel& model : judged_->refused)
      notes << tr("✗ %1 is left out: %2").arg(modelTitle(model.name), qs(model.why));
    for (std::size_t i = 0; i < evaluation.models.size(); ++i)
      if (evaluation.models[i].seen.value_or(1) > 0)
        notes
            << tr("⚠ %1: %2").arg(modelTitle(evaluation.models[i].name), knownText(evaluation, i));
    for (const TestedNetwork& network : evaluation.networks)
      if (network.tested < network.tasks && network.tasks > 0)
        notes << tr("%1: %2 of its %3 tasks have records that ran; the others are left out.")
                     .arg(qs(network.name), countText(qint64(network.tested)),
                          countText(qint64(network.tasks)));
    if (evaluation.tasks.size() == 1)
      notes << tr("One task says nothing of others: there are no intervals.");
    if (evaluation.allFailed > 0)
      notes << tr("%1 tasks were left out: none of their programs ran.")
                   .arg(countText(qint64(evaluation.allFailed)));
  }
  notes_->setText(notes.join(QLatin1Char('\n')));
  notes_->setVisible(!notes.isEmpty());
  pages_->setVisible(judged_ != nullptr);
}

QString ModelsView::words() const {
  return notes_->isHidden() ? state_->text() : state_->text() + QLatin1Char('\n') + notes_->text();
}

// --- what is shown

std::size_t ModelsView::modelOf(const QComboBox* box) const {
  return std::size_t(std::max(0, box->currentData().toInt()));
}

std::size_t ModelsView::k() const {
  return std::size_t(std::max(0, k_->currentIndex()));
}

void ModelsView::fillModels() {
  const QString first = a_->currentText(), second = b_->currentText();
  for (QComboBox* box : {a_, b_}) {
    box->clear();
    if (!judged_) continue;
    for (const std::size_t model : shownOrder(judged_->evaluation))
      box->addItem(modelTitle(judged_->evaluation.models[model].name), int(model));
  }
  if (!judged_) return;
  const auto choose = [](QComboBox* box, const QString& before, int otherwise) {
    const int known = box->findText(before);
    box->setCurrentIndex(known >= 0 ? known : std::clamp(otherwise, 0, box->count() - 1));
  };
  // Two models, or the only one against luck.
  const int models = a_->count() - 2;
  choose(a_, first, models > 0 ? 1 : 0);
  choose(b_, second, models > 1 ? 2 : models == 1 ? 0 : 1);
}

void ModelsView::showFigures() {
  figures_->show(judged_, k());
  restyle();
}

void ModelsView::showPair() {
  if (!judged_) return;
  const std::size_t a = modelOf(a_), b = modelOf(b_);
  const ModelEvaluation& evaluation = judged_->evaluation;
  const BoundedFigures differences = differenceOf(evaluation, a, b);
  QStringList texts;
  for (const Figure figure : {Figure::MeanOfNetworks, Figure::RatioOfSums}) {
    const auto id =
        std::ranges::find(evaluation.comparison.ids, FigureId{figure, evaluation.ks[k()], 0});
    if (id == evaluation.comparison.ids.end()) continue;
    const BoundedFigure& difference =
        differences[std::size_t(id - evaluation.comparison.ids.begin())];
    texts << tr("%1: %2, %3")
                 .arg(figureTitle(*id, evaluation), boundedText(difference),
                      !isClear(difference)   ? tr("≈ they cannot be told apart")
                      : difference.value > 0 ? tr("▲ the first is better")
                                             : tr("▼ the second is better"));
  }
  difference_->setText(
      a == b ? tr("Choose two models to see how they differ.")
             : tr("%1 less %2, on the same tasks. %3.")
                   .arg(a_->currentText(), b_->currentText(), texts.join(QStringLiteral("; "))));
  agreement_->show(judged_, a, b, k(), task_);
  worst_->show(judged_, a, b, k());
  chooseTask(task_);
}

void ModelsView::chooseTask(int task) {
  task_ = task;
  if (!judged_) return;
  agreement_->show(judged_, modelOf(a_), modelOf(b_), k(), task_);
  const int row = worst_->rowOf(task_);
  if (row >= 0) worstTable_->selectRow(row);
  showOrder();
}

void ModelsView::showOrder() {
  if (task_ < 0) return order_->showMessage(tr("Choose a task to see its programs in order."));
  order_->show(judgedPrograms(*judged_, std::size_t(task_), modelOf(a_)),
               judged_->evaluation.ks[k()], a_->currentText());
}

void ModelsView::showPage(Page page) {
  pages_->setCurrentIndex(int(page));
}

ModelsView::Page ModelsView::page() const {
  return Page(std::max(0, pages_->currentIndex()));
}

void ModelsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  split_->setOrientation(width() >= kTasksBeside ? Qt::Horizontal : Qt::Vertical);
}

void ModelsView::dragEnterEvent(QDragEnterEvent* event) {
  if (document_.state() == DocumentState::Ready && !modelsIn(event->mimeData()).isEmpty())
    event->acceptProposedAction();
}

void ModelsView::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  addModels(modelsIn(event->mimeData()));
}

// --- what it gives away and keeps

Exports ModelsView::exports() {
  Exports exports = seenOf(this);
  exports.text = words();
  exports.more.clear();
  switch (page()) {
  case Page::Networks:
    exports.name = QStringLiteral("models-by-network");
    exports.title = tr("Cost models by network");
    exports.table = tableOf(figureTable_);
    break;
  case Page::TwoModels:
    exports.name = QStringLiteral("two-models");
    exports.title = difference_->text();
    exports.text = difference_->text();
    exports.table = agreement_->table();
    agreement_->exportPicture(exports);
    break;
  case Page::WorstTasks:
    exports.name = QStringLiteral("worst-tasks");
    exports.title = tr("Tasks by how well %1 does on them").arg(a_->currentText());
    exports.table = tableOf(worstTable_);
    exports.tableName = tr("Tasks");
    exports.more = {{tr("Both orders of the task's programs"), order_->table()}};
    break;
  }
  return exports;
}

nlohmann::json ModelsView::viewState() const {
  nlohmann::json state;
  state["models"] = nlohmann::json::array();
  for (const QString& model : models_)
    state["models"].push_back(model.toStdString());
  state["networks"] = networks_->text().toStdString();
  state["k"] = k_->currentIndex();
  state["page"] = pages_->currentIndex();
  return state;
}

void ModelsView::restoreViewState(const nlohmann::json& state) {
  judging_.cancel();
  judged_.reset();
  task_ = -1;
  models_.clear();
  if (const auto models = state.find("models"); models != state.end() && models->is_array())
    for (const nlohmann::json& model : *models)
      if (model.is_string()) models_ << qs(model.get<std::string>());
  networks_->setText(qs(storedText(state, "networks")));
  k_->setCurrentIndex(std::clamp(storedValue(state, "k", 1), 0, k_->count() - 1));
  pages_->setCurrentIndex(std::clamp(storedValue(state, "page", 0), 0, pages_->count() - 1));
  showList();
  fillModels();
  figures_->show({}, k());
  worst_->show({}, 0, 0, 0);
  agreement_->showMessage({});
  order_->showMessage({});
  changed();
}

} // namespace nestwright::ui

#include "moc_models_view.cpp"
