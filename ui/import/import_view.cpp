#include "ui/import/import_view.h"

#include "core/logs/line_text.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/import/import_following.h"
#include "ui/document/import/importer.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/import/import_problem_model.h"
#include "ui/import/import_source_model.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <map>

namespace nestwright::ui {
namespace {

constexpr int kProblems = 1000; // of a page
constexpr int kReadMilliseconds = 1000;
constexpr std::size_t kLongestLine = 65'536;

ImportProblemRow rowOf(const ImportSourceModel& sources, const SourceProblem& problem) {
  return {sources.pathOf(problem.source), problem.problem.line, problem.problem.offset,
          qs(problem.problem.reason)};
}

} // namespace

ImportView::ImportView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), sources_(new ImportSourceModel(this)),
      problems_(new ImportProblemModel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildHead());
  empty_ = sentenceLabel(this);
  empty_->setText(
      tr("No logs were imported into this document. Drop logs or folders of them on the "
         "window: JSON lines of TVM's auto-scheduler, TenSet or AutoTVM, plain or packed "
         "with gzip, zstd or xz. A NAME.dag beside NAME.json tells the task's "
         "definition."));
  empty_->setContentsMargins(8, 4, 8, 8);
  empty_->setAlignment(Qt::AlignTop);
  layout->addWidget(empty_, 1);
  layout->addWidget(tables_ = buildTables(), 4);
  connect(&document, &Document::stateChanged, this, [this] {
    stale_ = true;
    showState();
    if (isVisible()) read(true);
  });
  connect(&document.importer(), &Importer::changed, this, &ImportView::showState);
  connect(&document.importer(), &Importer::ended, this, [this] {
    stale_ = true;
    if (isVisible()) read(true);
  });
  connect(&document.follower(), &SessionFollower::statusChanged, this, &ImportView::showState);
  connect(&Theme::instance(), &Theme::changed, this, &ImportView::restyle);
  restyle();
  showState();
}

QWidget* ImportView::buildHead() {
  import_ = flatButton(this, tr("Import …"), tr("Choose logs or documents to take in (Ctrl+I)."));
  folder_ =
      flatButton(this, tr("Folder …"), tr("Choose a folder; all logs below it are taken in."));
  pause_ =
      flatButton(this, tr("Pause"),
                 tr("Stop after the lines at hand. What was read is stored, and Resume goes on "
                    "from there, today or later."));
  resume_ = flatButton(this, tr("Resume"), tr("Go on where the import was stopped."));
  pauseSession_ =
      flatButton(this, tr("Pause the Session"), tr("Pause tuning, so that the import can begin."));
  auto* head = new QWidget(this);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(4);
  for (QToolButton* button : {import_, folder_})
    buttons->addWidget(button);
  buttons->addStretch();
  for (QToolButton* button : {pauseSession_, pause_, resume_})
    buttons->addWidget(button);
  state_ = sentenceLabel(head);
  figures_ = sentenceLabel(head);
  progress_ = new QProgressBar(head);
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setFixedHeight(8);
  progress_->setAccessibleName(tr("Progress of the import"));
  progress_->setToolTip(tr("Bytes of the logs that were read, packed as they are."));
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(8, 4, 8, 6);
  column->setSpacing(4);
  column->addLayout(buttons);
  column->addWidget(state_);
  column->addWidget(progress_);
  column->addWidget(figures_);
  connect(import_, &QToolButton::clicked, this, [this] { Q_EMIT importRequested(false); });
  connect(folder_, &QToolButton::clicked, this, [this] { Q_EMIT importRequested(true); });
  connect(pause_, &QToolButton::clicked, &document_.importer(), &Importer::stop);
  connect(resume_, &QToolButton::clicked, this, &ImportView::resume);
  connect(pauseSession_, &QToolButton::clicked, &document_.steering(), &Steering::pause);
  return head;
}

QWidget* ImportView::buildTables() {
  sourceTable_ = new QTableView(this);
  sourceTable_->setModel(sources_);
  sourceTable_->setAccessibleName(tr("Imported logs"));
  problemTable_ = new QTableView(this);
  problemTable_->setModel(problems_);
  problemTable_->setAccessibleName(tr("Broken lines"));
  for (QTableView* table : {sourceTable_, problemTable_}) {
    setUpTable(table);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setTextElideMode(Qt::ElideMiddle);
  }
  problemTable_->horizontalHeader()->setStretchLastSection(true);
  problemTable_->setTextElideMode(Qt::ElideRight); // reasons begin with what matters
  problemTitle_ = sentenceLabel(this);
  problemTitle_->setContentsMargins(8, 4, 8, 2);
  lineTitle_ = sentenceLabel(this);
  lineTitle_->setContentsMargins(8, 4, 8, 2);
  line_ = new QPlainTextEdit(this);
  line_->setReadOnly(true);
  line_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
  line_->setWordWrapMode(QTextOption::WrapAnywhere);
  line_->setAccessibleName(tr("Text of the broken line"));
  const auto titled = [this](QLabel* title, QWidget* below) {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(title);
    column->addWidget(below, 1);
    return box;
  };
  auto* split = new QSplitter(Qt::Vertical, this);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(sourceTable_);
  split->addWidget(titled(problemTitle_, problemTable_));
  split->addWidget(titled(lineTitle_, line_));
  split->setSizes({120, 280, 80});
  line_->parentWidget()->hide();
  connect(problemTable_, &QTableView::activated, this, &ImportView::showLine);
  connect(problemTable_, &QTableView::doubleClicked, this, &ImportView::showLine);
  connect(problemTable_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (more_ && value >= problemTable_->verticalScrollBar()->maximum() - 2) readMore();
  });
  return split;
}

void ImportView::restyle() {
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  state_->setFont(bold);
  line_->setFont(codeFont());
  const QColor dim = colours().dim;
  for (QLabel* label : {figures_, problemTitle_, lineTitle_, empty_})
    setTextColour(label, dim);
  fitColumns();
}

void ImportView::fitColumns() {
  const auto wide = [this](const char* text) {
    return fontMetrics().horizontalAdvance(QLatin1String(text)) + 16;
  };
  QHeaderView* header = sourceTable_->horizontalHeader();
  header->setSectionResizeMode(ImportSourceModel::Log, QHeaderView::Stretch);
  const auto fit = [&](int column, const char* widest) {
    header->resizeSection(column, std::max(wide(widest), header->sectionSizeHint(column) + 8));
  };
  fit(ImportSourceModel::State, "in part");
  for (const int column :
       {ImportSourceModel::Lines, ImportSourceModel::Records, ImportSourceModel::Duplicates,
        ImportSourceModel::Comments, ImportSourceModel::Broken})
    fit(column, "1,000,000");
  header = problemTable_->horizontalHeader();
  header->resizeSection(ImportProblemModel::Log, wide("records_of_tvm.json"));
  header->resizeSection(ImportProblemModel::Line, wide("100,000"));
  header->resizeSection(ImportProblemModel::Byte, wide("100,000,000"));
}

/// The importer's words are about this document.
bool ImportView::isHere() const {
  return isAbout(document_.importer(), document_);
}

void ImportView::showState() {
  const Importer& importer = document_.importer();
  const bool ready = document_.state() == DocumentState::Ready;
  const bool here = ready && isHere();
  const ImportState state = here ? importer.state() : ImportState::None;
  const bool active = here && importer.isActive();
  const ImportProgress& p = importer.progress();
  QString text;
  QStringList figures;
  switch (state) {
  case ImportState::None:
    break;
  case ImportState::Waiting:
    text = tr("The import waits, because it would disturb what is timed: %1. It begins by itself.")
               .arg(qs(p.waitingFor));
    break;
  case ImportState::Running:
    text = p.files > 0
               ? tr("Importing log %1 of %2: %3")
                     .arg(countText(std::int64_t(std::min(p.filesDone + 1, p.files))),
                          countText(std::int64_t(p.files)), QFileInfo(qs(p.file)).fileName())
               : tr("Importing …");
    break;
  case ImportState::Stopping:
    text = tr("Pausing after the lines at hand …");
    break;
  case ImportState::Stopped:
    text = tr("The import is paused.");
    break;
  case ImportState::Finished:
    text = tr("The import has finished.");
    break;
  case ImportState::Failed:
    text = tr("The import has failed. %1").arg(importer.error());
    break;
  }
  const bool unfinished =
      ready && !importer.isActive() && state != ImportState::Stopped &&
      state != ImportState::Failed &&
      unfinishedImport(document_.session().contents().sessions, document_.file().path())
          .has_value();
  if (text.isEmpty() && unfinished)
    text = tr("An import of this document was not finished. Resume goes on where it was.");
  if (state != ImportState::None) {
    figures.append(tr("%1 lines").arg(countText(p.lines)));
    figures.append(importer.resultText());
  }
  if (active && p.recordsPerSecond > 0)
    figures.append(tr("%1 records/s").arg(countText(std::int64_t(p.recordsPerSecond))));
  if (active && std::isfinite(p.secondsLeft) && p.lines > 0)
    figures.append(tr("%1 left").arg(durationText(p.secondsLeft)));
  state_->setText(text);
  state_->setVisible(!text.isEmpty());
  figures_->setText(figures.join(QStringLiteral("  ·  ")));
  figures_->setVisible(!figures.isEmpty());
  progress_->setVisible(active);
  progress_->setValue(static_cast<int>(1000 * importer.done()));
  pause_->setVisible(active);
  enableUnless(pause_, state == ImportState::Stopping ? tr("It is pausing.") : QString());
  resume_->setVisible(state == ImportState::Stopped || state == ImportState::Failed || unfinished);
  pauseSession_->setVisible(state == ImportState::Waiting && document_.steering().canPause());
  for (QWidget* button : std::initializer_list<QWidget*>{import_, folder_})
    enableUnless(button, importer.isActive() ? tr("Records are being imported.") : QString());
  if (active && isVisible() && (!sinceRead_.isValid() || sinceRead_.elapsed() > kReadMilliseconds))
    read(false);
}

QString ImportView::stateText() const {
  return state_->text() + QLatin1Char('\n') + figures_->text();
}

QString ImportView::lineText() const {
  return line_->toPlainText();
}

void ImportView::resume() {
  const Importer& importer = document_.importer();
  const bool stopped =
      importer.state() == ImportState::Stopped || importer.state() == ImportState::Failed;
  if (stopped && isHere()) {
    document_.importer().resume();
  } else if (const auto wish = unfinishedImport(document_.session().contents().sessions,
                                                document_.file().path())) {
    document_.importer().begin(*wish);
  }
}

void ImportView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) read(true);
}

void ImportView::read(bool fresh) {
  if (document_.state() != DocumentState::Ready || document_.file().path().isEmpty()) {
    sources_->show({});
    problems_->clear();
    return;
  }
  if (reading_.isBusy() && !fresh) return;
  sinceRead_.start();
  stale_ = false;
  reading_.ask<FromFile>(
      [path = document_.file().path().toStdString(), after = fresh ? SourceProblem{} : last_,
       fresh](const Job&) {
        return FromFile{importSources(path), importProblems(path, 0, after, kProblems), fresh};
      },
      [this](FromFile found) { take(std::move(found)); },
      [this](const QString& why) { state_->setText(why); });
}

void ImportView::take(FromFile found) {
  sources_->show(std::move(found.sources));
  if (found.fresh) {
    problems_->clear();
    last_ = {};
    whole_.clear();
    if (isHere()) {
      const ImportReport& report = document_.importer().report();
      for (const FileProblem& problem : report.problems)
        if (problem.problem.line == 0)
          whole_.push_back({qs(problem.path), 0, 0, qs(problem.problem.reason)});
      for (const PassedOver& other : report.others)
        whole_.push_back({qs(other.path), 0, 0, tr("not imported: %1").arg(qs(other.reason))});
    }
    problems_->append(whole_);
  }
  std::vector<ImportProblemRow> rows;
  for (const SourceProblem& problem : found.problems)
    rows.push_back(rowOf(*sources_, problem));
  if (!found.problems.empty()) last_ = found.problems.back();
  problems_->append(rows);
  more_ = int(found.problems.size()) == kProblems;
  std::int64_t broken = 0;
  for (const ImportSource& source : sources_->sources())
    broken += source.broken;
  problemTitle_->setText(
      broken == 0 && whole_.empty()
          ? tr("No broken lines")
          : tr("%1 broken lines. Double-click one to see it.").arg(countText(broken)));
  const bool any = !sources_->sources().empty() || !whole_.empty();
  empty_->setVisible(!any);
  tables_->setVisible(any);
}

void ImportView::readMore() {
  if (!reading_.isBusy()) read(false);
}

void ImportView::showLine(const QModelIndex& row) {
  if (!row.isValid()) return;
  const ImportProblemRow problem = problems_->row(row.row());
  line_->parentWidget()->show();
  if (problem.line == 0) {
    lineTitle_->setText(problem.path);
    line_->setPlainText(problem.reason);
    return;
  }
  lineTitle_->setText(
      tr("%1, line %2: %3").arg(problem.path, countText(problem.line), problem.reason));
  line_->setPlainText(tr("Reading …"));
  lines_.ask<QString>(
      [problem](const Job& job) {
        return qs(nestwright::lineText(problem.path.toStdString(), problem.offset, kLongestLine,
                                       [&job] { return !job.isStopped(); }));
      },
      [this](const QString& text) { line_->setPlainText(text); },
      [this](const QString& why) { line_->setPlainText(why); });
}

Exports ImportView::exports() {
  Exports exports = seenOf(this);
  exports.name = QStringLiteral("broken-lines");
  exports.title = tr("Broken lines of imported logs");
  exports.clip = tableOf(problemTable_);
  ExportTable table;
  for (int column = 0; column < ImportProblemModel::ColumnCount; ++column)
    table.headers.append(problems_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
  table.rows = [path = document_.file().path().toStdString()](const auto& row) {
    std::map<RowId, QString> logs;
    for (const ImportSource& source : importSources(path))
      logs[source.id] = qs(source.path);
    SourceProblem last;
    for (;;) {
      const std::vector<SourceProblem> page = importProblems(path, 0, last, kProblems);
      for (const SourceProblem& problem : page)
        if (!row({logs[problem.source], QString::number(problem.problem.line),
                  QString::number(problem.problem.offset), qs(problem.problem.reason)}))
          return;
      if (int(page.size()) < kProblems) return;
      last = page.back();
    }
  };
  exports.table = std::move(table);
  return exports;
}

} // namespace nestwright::ui

#include "moc_import_view.cpp"
