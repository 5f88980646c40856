#include "ui/lab/data_view.h"

#include "core/dataset/choice_file.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/dropped_files.h"
#include "ui/document/program_drag.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/flow_splitter.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/choice_form.h"
#include "ui/lab/data_words.h"
#include "ui/lab/lab_parts.h"
#include "ui/lab/label_plot.h"
#include "ui/lab/share_model.h"

#include <nlohmann/json.hpp>

#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kSoonMilliseconds = 300;
/// A view as wide as this has its table beside the histogram.
constexpr int kBesideEachOther = 760;
/// In the state: the document itself, wherever it lies then.
constexpr const char* kDocument = "";

bool isTaken(const QMimeData* data) {
  return !droppedFiles(data, QStringLiteral(".nwdb")).isEmpty() ||
         !droppedFiles(data, QStringLiteral(".json")).isEmpty() || !programsFrom(data).empty();
}

} // namespace

DataView::DataView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), form_(new ChoiceForm(this)) {
  setAccessibleName(tr("Data set"));
  setAcceptDrops(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  layout->addWidget(form_);
  state_ = wordsLabel(this);
  verdict_ = wordsLabel(this);
  verdict_->setAccessibleName(tr("Whether the data can be trained on"));
  contents_ = wordsLabel(this);
  leftOut_ = wordsLabel(this);
  layout->addWidget(state_);
  layout->addWidget(verdict_);
  layout->addWidget(contents_);
  layout->addWidget(leftOut_);
  layout->addWidget(found_ = buildContents(), 1);
  layout->addStretch(0);
  soon_.setSingleShot(true);
  soon_.setInterval(kSoonMilliseconds);
  connect(&soon_, &QTimer::timeout, this, &DataView::read);
  connect(form_, &ChoiceForm::changed, this, &DataView::changed);
  connect(&reading_, &Background::busyChanged, this, [this] {
    busy_->setVisible(reading_.isBusy());
    cancel_->setVisible(reading_.isBusy());
  });
  connect(&document, &Document::stateChanged, this, &DataView::followDocument);
  connect(&Theme::instance(), &Theme::changed, this, &DataView::restyle);
  restyle();
  followDocument();
}

QWidget* DataView::buildBar() {
  auto* bar = new QWidget(this);
  add_ = flatButton(bar, tr("Add Files …"), tr("Take records of further documents (.nwdb), too."));
  open_ = flatButton(bar, tr("Open …"), tr("A choice of data that was saved here."));
  save_ = flatButton(bar, tr("Save …"),
                     tr("Keep the choice, so that others train and test on the same. The records "
                        "are named in it, and not copied."));
  copy_ = flatButton(bar, tr("Copy as Command"),
                     tr("The command line that describes this data set, to the clipboard."));
  again_ = flatButton(bar, tr("Read Again"), tr("Read the records that have come since."));
  cancel_ = flatButton(bar, tr("Cancel"), tr("Stop reading."));
  busy_ = busyBar(bar, tr("Reading"), tr("The records are being read."));
  busy_->hide();
  cancel_->hide();
  auto* flow = new FlowLayout(bar, 2);
  flow->setContentsMargins(4, 2, 4, 2);
  for (QWidget* part :
       std::initializer_list<QWidget*>{add_, open_, save_, copy_, again_, cancel_, busy_})
    flow->addWidget(part);
  connect(add_, &QToolButton::clicked, this, [this] {
    form_->addFiles(QFileDialog::getOpenFileNames(this, tr("Add Files"), Settings::folder(),
                                                  tr("Documents (*.nwdb)")));
  });
  connect(open_, &QToolButton::clicked, this, [this] {
    const QString file = askForChoice(this);
    if (!file.isEmpty()) openChoice(file);
  });
  connect(save_, &QToolButton::clicked, this, [this] {
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save the Choice of Data"), Settings::folder() + QStringLiteral("/set.json"),
        tr("Choices (*.json)"));
    if (!file.isEmpty()) saveChoice(file);
  });
  connect(copy_, &QToolButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(command()); });
  connect(again_, &QToolButton::clicked, this, &DataView::read);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    reading_.cancel();
    fail(tr("Reading was stopped."));
  });
  return bar;
}

QWidget* DataView::buildContents() {
  byNetwork_ = flatToggle(this, tr("Networks"), tr("How each network's programs are split."));
  byTask_ = flatToggle(this, tr("Tasks"), tr("How each task's programs are split."));
  byNetwork_->setAutoExclusive(true);
  byTask_->setAutoExclusive(true);
  byTask_->setChecked(true);
  legend_ = new QLabel(this);
  legend_->setTextFormat(Qt::RichText);
  legend_->setToolTip(tr("The colours of the bars: what is learned from, validated with and tested "
                         "on."));
  shares_ = new ShareModel(this);
  table_ = new QTableView(this);
  table_->setModel(shares_);
  table_->setAccessibleName(tr("Programs by part"));
  setUpTable(table_);
  table_->setItemDelegateForColumn(ShareModel::Split, new ShareDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(ShareModel::Programs, Qt::DescendingOrder);
  table_->setMinimumSize(200, 90);
  new ElasticColumn(table_, ShareModel::Name, QStringLiteral("Conv 3x3 512→512"),
                    ShareModel::Failed);
  labels_ = new LabelPlot(this);
  auto* upper = new QWidget(this);
  auto* bar = new FlowLayout(nullptr, 2);
  for (QWidget* part : std::initializer_list<QWidget*>{byNetwork_, byTask_, legend_})
    bar->addWidget(part);
  auto* column = new QVBoxLayout(upper);
  column->setContentsMargins(4, 2, 0, 0);
  column->setSpacing(2);
  column->addLayout(bar);
  column->addWidget(table_, 1);
  auto* split = new FlowSplitter(kBesideEachOther, this);
  split->addWidget(upper);
  split->addWidget(labels_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  for (QToolButton* toggle : {byNetwork_, byTask_})
    connect(toggle, &QToolButton::clicked, this, &DataView::showShares);
  return split;
}

void DataView::restyle() {
  const Colours& c = colours();
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  verdict_->setFont(bold);
  const bool bad = !story_.unreadable.empty() || !story_.problem.empty();
  setTextColour(verdict_, bad ? c.failed : c.running);
  const QColor dim = c.dim;
  for (QLabel* label : {state_, leftOut_, legend_}) {
    setTextColour(label, dim);
    label->setFont(smallFont());
  }
  QString legend;
  for (const DataPart part : kDataParts) {
    QColor colour = colourOf(part);
    // Rich text knows no transparency.
    const double a = colour.alphaF();
    colour = QColor(int(a * colour.red() + (1 - a) * c.base.red()),
                    int(a * colour.green() + (1 - a) * c.base.green()),
                    int(a * colour.blue() + (1 - a) * c.base.blue()));
    legend += QStringLiteral("&nbsp;&nbsp;<span style='color:%1'>■</span> %2")
                  .arg(colour.name(), title(part));
  }
  legend_->setText(legend);
  const auto wide = [this](int column, const char* widest) {
    fitColumn(table_, column, QLatin1String(widest));
  };
  wide(ShareModel::Split, "____________________");
  for (const int column : {ShareModel::Programs, ShareModel::Train, ShareModel::Validation,
                           ShareModel::Test, ShareModel::LeftOut, ShareModel::Failed})
    wide(column, "100,000");
  wide(ShareModel::Tasks, "10,000");
  wide(ShareModel::Target, "llvm -mcpu=core-avx2");
  table_->viewport()->update();
}

// --- the choice

const DataChoice& DataView::choice() const {
  return form_->choice();
}

QString DataView::command() const {
  return qs(datasetCommand(choice()));
}

void DataView::followDocument() {
  if (document_.state() == DocumentState::Loading) return;
  const bool ready = document_.state() == DocumentState::Ready;
  const QString path = ready ? document_.file().path() : QString();
  for (QToolButton* button : {add_, open_, save_, copy_, again_})
    enableUnless(button, document_.whyNotReady());
  if (path == shownDocument_) return;
  const std::string before = shownDocument_.toStdString();
  shownDocument_ = path;
  // The set follows to the next document, as far as it was about this one.
  DataChoice choice = form_->choice();
  std::erase(choice.files, before);
  if (ready && choice.files.empty()) choice.files = {path.toStdString()};
  form_->setDocument(path);
  form_->setChoice(std::move(choice));
  changed();
}

void DataView::changed() {
  stale_ = true;
  Q_EMIT choiceChanged(choice());
  if (isVisible()) soon_.start();
}

void DataView::openChoice(const QString& file) {
  writing_.ask<DataChoice>([file](const Job&) { return readChoice(file.toStdString()); },
                           [this, file](DataChoice choice) {
                             form_->setChoice(std::move(choice));
                             tell(tr("Opened %1.").arg(QFileInfo(file).fileName()));
                             changed();
                           },
                           [this](const QString& why) { tell(why); });
}

void DataView::saveChoice(const QString& file) {
  writing_.ask<bool>(
      [file, choice = choice()](const Job&) {
        writeChoice(choice, file.toStdString());
        return true;
      },
      [this, file](bool) { tell(tr("Saved as %1.").arg(file)); },
      [this](const QString& why) { tell(why); });
}

// --- what is in it

void DataView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) read();
}

void DataView::read() {
  soon_.stop();
  stale_ = false;
  if (document_.state() != DocumentState::Ready) {
    reading_.cancel();
    return fail(tr("Open a document to choose from its records what cost models learn from."));
  }
  if (choice().files.empty()) {
    reading_.cancel();
    return fail(tr("Add files, or drop records or documents here, to choose what cost models "
                   "learn from."));
  }
  tell(tr("Reading the records …"));
  reading_.ask<DataStory>(
      [choice = choice()](const Job& job) {
        return readDataStory(choice, [&job] { job.check(); });
      },
      [this](DataStory story) { take(std::move(story)); },
      [this](const QString& why) { fail(why); });
}

void DataView::tell(const QString& text) {
  sayOrHide(state_, text);
}

void DataView::fail(const QString& why) {
  story_ = {};
  tell(why);
  for (QWidget* part : std::initializer_list<QWidget*>{verdict_, contents_, leftOut_, found_})
    part->hide();
}

void DataView::take(DataStory story) {
  story_ = std::move(story);
  tell({});
  form_->offer(story_);
  sayOrHide(verdict_, verdictText(story_));
  sayOrHide(contents_, contentsText(story_));
  QStringList rest{leftOutText(story_)};
  // Within tasks the parts have their tasks in common, as they should.
  if (const QString leaks = leakText(story_.leaks); !leaks.isEmpty())
    rest << tr("In common: %1").arg(leaks);
  rest.removeAll(QString());
  sayOrHide(leftOut_, rest.join(QLatin1Char(' ')));
  found_->setVisible(story_.unreadable.empty());
  enableUnless(byNetwork_,
               story_.networks.empty() ? tr("The records are of no network.") : QString());
  if (story_.networks.empty()) byTask_->setChecked(true);
  table_->setColumnHidden(ShareModel::Target, story_.targets.size() < 2);
  labels_->show(story_.survey.labels, story_.survey.all.failed);
  showShares();
  restyle();
}

void DataView::showTasks(bool tasks) {
  (tasks ? byTask_ : byNetwork_)->setChecked(true);
  showShares();
}

void DataView::showShares() {
  const bool tasks = byTask_->isChecked();
  table_->setColumnHidden(ShareModel::Tasks, tasks);
  shares_->show(tasks ? story_.tasks : story_.networks);
}

QString DataView::verdict() const {
  return verdict_->isHidden() ? QString() : verdict_->text();
}

QString DataView::words() const {
  QStringList all;
  for (const QLabel* label : {state_, verdict_, contents_, leftOut_})
    if (!label->isHidden()) all << label->text();
  return all.join(QLatin1Char('\n'));
}

// --- what is dropped

void DataView::dragEnterEvent(QDragEnterEvent* event) {
  if (document_.state() == DocumentState::Ready && isTaken(event->mimeData()))
    event->acceptProposedAction();
}

void DataView::dropEvent(QDropEvent* event) {
  const QMimeData* data = event->mimeData();
  event->acceptProposedAction();
  if (const std::vector<ProgramRef> programs = programsFrom(data); !programs.empty()) {
    QStringList files;
    for (const ProgramRef& program : programs)
      if (!files.contains(program.file)) files << program.file;
    return form_->takeRecords(files, data->text());
  }
  if (const QStringList choices = droppedFiles(data, QStringLiteral(".json")); !choices.isEmpty())
    return openChoice(choices.first());
  form_->addFiles(droppedFiles(data, QStringLiteral(".nwdb")));
}

// --- what it gives away and keeps

Exports DataView::exports() {
  Exports exports = seenOf(this);
  exports.name = QStringLiteral("data-set");
  exports.title = tr("Data set");
  exports.text = words();
  exports.tableName =
      byTask_->isChecked() ? tr("Programs of tasks by part") : tr("Programs of networks by part");
  exports.table = tableOf(table_);
  exports.more = {{tr("Histogram of the labels"), labels_->table()}};
  return exports;
}

nlohmann::json DataView::viewState() const {
  DataChoice choice = form_->choice();
  for (std::string& file : choice.files)
    if (file == shownDocument_.toStdString()) file = kDocument;
  nlohmann::json state;
  state["choice"] = toJson(choice);
  state["tasks"] = byTask_->isChecked();
  return state;
}

void DataView::restoreViewState(const nlohmann::json& state) {
  DataChoice choice;
  choice.files = {kDocument};
  if (const auto kept = state.find("choice"); kept != state.end()) try {
      choice = dataChoiceFromJson(*kept);
    } catch (const InputError&) { // of another version, or edited: it begins as new
    }
  for (std::string& file : choice.files)
    if (file == kDocument) file = shownDocument_.toStdString();
  form_->setChoice(std::move(choice));
  (storedValue(state, "tasks", true) ? byTask_ : byNetwork_)->setChecked(true);
  changed();
}

} // namespace nestwright::ui

#include "moc_data_view.cpp"
