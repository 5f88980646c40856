#include "ui/records/pages/sql_page.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QShortcut>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <limits>

namespace nestwright::ui {
namespace {

constexpr int kUsualSeconds = 10;

QString hint() {
  return SqlPage::tr("Ctrl+Return asks the file. Nothing can be changed with it.");
}

} // namespace

void SqlResultModel::setResult(Result result) {
  beginResetModel();
  result_ = std::move(result);
  endResetModel();
}

int SqlResultModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(result_.rows.size());
}

int SqlResultModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(result_.columns.size());
}

QVariant SqlResultModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const SqlCell& cell = result_.rows.at(std::size_t(index.row())).at(std::size_t(index.column()));
  const bool number =
      std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell);
  switch (role) {
  case Qt::DisplayRole:
    return std::holds_alternative<std::monostate>(cell)
               ? noValue()
               : qs(textOf(cell)).replace(QLatin1Char('\n'), QLatin1Char(' '));
  case ExportRole:
    return qs(textOf(cell));
  case Qt::ToolTipRole:
    return qs(textOf(cell)).left(1000);
  case Qt::TextAlignmentRole:
    return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  case Qt::ForegroundRole:
    return std::holds_alternative<std::monostate>(cell) ? QVariant(colours().dim) : QVariant();
  default:
    return {};
  }
}

QVariant SqlResultModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return qs(result_.columns.at(std::size_t(section)));
}

SqlPage::SqlPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), editor_(new QPlainTextEdit(this)),
      examples_(new QComboBox(this)),
      limit_(numberBox(this, 1, 3600, kUsualSeconds, tr("Limit of time"),
                       tr("A question that takes longer is stopped."))),
      run_(new QToolButton(this)), note_(new QLabel(this)), schema_(new QTreeWidget(this)),
      table_(new QTableView(this)), model_(new SqlResultModel(this)) {
  build();
  connect(run_, &QToolButton::clicked, this, [this] { reading_.isBusy() ? stop() : run(); });
  for (const int key : {Qt::Key_Return, Qt::Key_Enter}) {
    auto* shortcut = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key(key)), editor_);
    shortcut->setContext(Qt::WidgetShortcut);
    connect(shortcut, &QShortcut::activated, this, &SqlPage::run);
  }
  connect(&reading_, &Background::busyChanged, this,
          [this] { run_->setText(reading_.isBusy() ? tr("Stop") : tr("Run")); });
  connect(examples_, &QComboBox::activated, this, [this](int index) {
    if (index > 0) setText(qs(freeExamples().at(std::size_t(index - 1)).sql));
    examples_->setCurrentIndex(0);
    editor_->setFocus();
  });
  connect(schema_, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem* item) {
    editor_->insertPlainText(item->text(0));
    editor_->setFocus();
  });
  connect(&document, &Document::stateChanged, this, [this] {
    if (document_.state() == DocumentState::Ready) return readSchema();
    reading_.cancel();
    model_->setResult({});
    asked_.clear();
    note_->setText(hint());
    schema_->clear();
    schemaOf_.clear();
  });
  connect(&Theme::instance(), &Theme::changed, this, &SqlPage::restyle);
  setText(qs(freeExamples().front().sql));
  restyle();
}

void SqlPage::build() {
  editor_->setAccessibleName(tr("SQL"));
  editor_->setToolTip(tr("One SELECT statement (Ctrl+Return runs it). Nothing can be changed with "
                         "it."));
  editor_->setTabChangesFocus(true);
  examples_->addItem(tr("Examples"));
  for (const FreeExample& example : freeExamples())
    examples_->addItem(tr(example.title));
  examples_->setToolTip(tr("Statements to begin with."));
  examples_->setAccessibleName(tr("Examples"));
  examples_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  examples_->setMinimumContentsLength(9);
  limit_->setSuffix(tr(" s"));
  limit_->setPrefix(tr("at most "));
  run_->setText(tr("Run"));
  run_->setToolTip(tr("Ask the file (Ctrl+Return)."));
  note_->setText(hint());
  note_->setWordWrap(true);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setContentsMargins(8, 2, 8, 4);
  note_->setAccessibleName(tr("Result"));
  schema_->setHeaderHidden(true);
  schema_->setIndentation(14);
  schema_->setFrameShape(QFrame::NoFrame);
  schema_->setAccessibleName(tr("Tables and their columns"));
  addCopying(schema_);
  schema_->setToolTip(tr("Tables and their columns; a double click writes the name."));
  table_->setModel(model_);
  setUpTable(table_);
  table_->horizontalHeader()->setResizeContentsPrecision(0); // the rows that are seen
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setAccessibleName(tr("Rows of the result"));

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->setSpacing(6);
  bar->addWidget(run_);
  bar->addWidget(limit_);
  bar->addWidget(examples_);
  bar->addStretch(1);
  auto* below = new QWidget(this);
  auto* lower = new QVBoxLayout(below);
  lower->setContentsMargins(0, 0, 0, 0);
  lower->setSpacing(0);
  lower->addLayout(bar);
  lower->addWidget(note_);
  lower->addWidget(table_, 1);
  auto* writing = new QSplitter(Qt::Horizontal, this);
  writing->setHandleWidth(1);
  writing->addWidget(editor_);
  writing->addWidget(schema_);
  writing->setStretchFactor(0, 3);
  writing->setStretchFactor(1, 1);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->setHandleWidth(1);
  split->addWidget(writing);
  split->addWidget(below);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
}

QString SqlPage::note() const {
  return note_->text();
}

QString SqlPage::text() const {
  return editor_->toPlainText();
}

void SqlPage::setText(const QString& sql) {
  if (sql == text()) return;
  // As if it were typed, so that it can be taken back with Ctrl+Z.
  editor_->selectAll();
  editor_->insertPlainText(sql);
}

void SqlPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  readSchema();
}

void SqlPage::run() {
  if (document_.state() != DocumentState::Ready) return refuse(tr("No document is open."));
  failed_ = false;
  restyle();
  note_->setText(tr("Reading …"));
  using Result = SqlResultModel::Result;
  reading_.ask<Result>(
      [sql = text().toStdString(), path = document_.file().path().toStdString(),
       seconds = double(limit_->value())](const Job& job) {
        Result result;
        QElapsedTimer timer;
        timer.start();
        const FreeQueryOptions options{seconds, [&job] { return !job.isStopped(); }};
        result.complete =
            runFreeQuery(
                path, sql, options,
                [&](const std::vector<std::string>& names) { result.columns = names; },
                [&](const std::vector<SqlCell>& row) {
                  if (result.rows.size() == kMostRows) return false;
                  result.rows.push_back(row);
                  return true;
                })
                .complete;
        result.seconds = double(timer.nsecsElapsed()) / 1e9;
        return result;
      },
      [this, sql = text()](Result result) { take(sql, std::move(result)); },
      [this](const QString& why) { refuse(why); });
}

void SqlPage::stop() {
  reading_.cancel();
  note_->setText(tr("Stopped."));
}

void SqlPage::take(const QString& sql, SqlResultModel::Result result) {
  const auto rows = std::int64_t(result.rows.size());
  const QString time = timeText(result.seconds);
  note_->setText(
      result.complete
          ? (rows == 1 ? tr("1 row in %1").arg(time)
                       : tr("%1 rows in %2").arg(countText(rows), time))
          : tr("The first %1 rows, in %2; Export writes all.").arg(countText(rows), time));
  model_->setResult(std::move(result));
  asked_ = sql;
  constexpr int kWidest = 320;
  for (int column = 0; column < model_->columnCount(); ++column) {
    table_->resizeColumnToContents(column);
    table_->setColumnWidth(column, std::min(table_->columnWidth(column) + 12, kWidest));
  }
}

void SqlPage::refuse(const QString& why) {
  failed_ = true;
  restyle();
  note_->setText(QStringLiteral("⚠ ") + why);
}

void SqlPage::readSchema() {
  const QString path = document_.file().path();
  if (document_.state() != DocumentState::Ready || !isVisible() || schemaOf_ == path) return;
  schemaOf_ = path;
  describing_.ask<std::vector<FreeTable>>(
      [path = path.toStdString()](const Job&) { return freeTables(path); },
      [this](const std::vector<FreeTable>& tables) { fillSchema(tables); },
      [this](const QString& why) { refuse(why); });
}

void SqlPage::fillSchema(const std::vector<FreeTable>& tables) {
  schema_->clear();
  for (const FreeTable& table : tables) {
    auto* item = new QTreeWidgetItem(schema_, {qs(table.name)});
    item->setToolTip(0, table.meaning.empty() ? tr("A table of the inside.")
                                              : tr(table.meaning.c_str()));
    if (table.meaning.empty()) item->setForeground(0, colours().dim);
    for (const std::string& column : table.columns)
      new QTreeWidgetItem(item, {qs(column)});
  }
  if (!tables.empty()) schema_->topLevelItem(0)->setExpanded(true);
}

Exports SqlPage::exports() const {
  Exports result;
  result.name = QStringLiteral("query");
  result.title = asked_.simplified();
  if (model_->columnCount() == 0) return result;
  result.clip = tableOf(table_);
  ExportTable table;
  table.headers = result.clip->headers;
  // Asked once more, for all rows, however long that takes.
  table.rows = [sql = asked_.toStdString(), path = document_.file().path().toStdString()](
                   const std::function<bool(const QStringList&)>& take) {
    const FreeQueryOptions options{0, {}};
    runFreeQuery(
        path, sql, options, [](const auto&) {},
        [&](const std::vector<SqlCell>& row) {
          QStringList cells;
          for (const SqlCell& cell : row)
            cells.append(qs(textOf(cell)));
          return take(cells);
        });
  };
  result.table = std::move(table);
  return result;
}

void SqlPage::restyle() {
  editor_->setFont(codeFont());
  schema_->setFont(smallFont());
  note_->setFont(smallFont());
  setTextColour(note_, failed_ ? colours().failed : colours().dim);
}

} // namespace nestwright::ui

#include "moc_sql_page.cpp"
