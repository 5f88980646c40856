#include "ui/kit/table/table_twin.h"

#include "ui/kit/exporter.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"

#include <QAbstractTableModel>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QTime>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <utility>

namespace nestwright::ui {
namespace {

bool isNumberOrEmpty(const QString& cell) {
  bool number = false;
  cell.toDouble(&number);
  return number || cell.isEmpty();
}

} // namespace

/// Rows of text; a column of numbers is sorted and aligned as numbers.
class NumbersModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void show(QStringList headers, std::vector<QStringList> rows) {
    beginResetModel();
    headers_ = std::move(headers);
    rows_ = std::move(rows);
    numeric_.assign(std::size_t(headers_.size()), true);
    for (const QStringList& row : rows_)
      for (int column = 0; column < headers_.size(); ++column)
        if (!isNumberOrEmpty(row.value(column))) numeric_[std::size_t(column)] = false;
    endResetModel();
  }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : int(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : int(headers_.size());
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (!index.isValid()) return {};
    const QString cell = rows_[std::size_t(index.row())].value(index.column());
    const bool number = numeric_[std::size_t(index.column())];
    switch (role) {
    case Qt::DisplayRole:
      return cell.isEmpty() ? noValue() : cell;
    case ExportRole:
      return cell;
    case Qt::TextAlignmentRole:
      return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole:
      if (!number) return cell;
      return cell.isEmpty() ? std::numeric_limits<double>::infinity() : cell.toDouble();
    default:
      return {};
    }
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && section < headers_.size())
      return int((numeric_[std::size_t(section)] ? Qt::AlignRight : Qt::AlignLeft) |
                 Qt::AlignVCenter);
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return headers_.value(section);
    return {};
  }

 private:
  QStringList headers_;
  std::vector<QStringList> rows_;
  std::vector<bool> numeric_;
};

TableTwin::TableTwin(std::function<Exports()> ask, QWidget* parent)
    : QDialog(parent), ask_(std::move(ask)), which_(new QComboBox(this)),
      headline_(new QLabel(this)), model_(new NumbersModel(this)), sorted_(new SortedRows(this)),
      table_(new QTableView(this)) {
  sorted_->setSourceModel(model_);
  table_->setModel(sorted_);
  setUpTable(table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setSortingEnabled(true);
  table_->setAccessibleName(tr("Numbers of the view"));
  table_->horizontalHeader()->setSectionsMovable(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  layout->addWidget(table_, 1);
  resize(fontMetrics().averageCharWidth() * 100, fontMetrics().lineSpacing() * 28);
  connect(which_, &QComboBox::currentIndexChanged, this, &TableTwin::choose);
  connect(table_, &QTableView::activated, this, &TableTwin::openRow);
  bringUpToDate();
  table_->setFocus();
}

TableTwin::~TableTwin() = default;

QWidget* TableTwin::buildBar() {
  which_->setAccessibleName(tr("Which numbers"));
  which_->setToolTip(tr("Which of the view's tables and charts."));
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* update = flatButton(this, tr("Update"), tr("Take the numbers that the view shows now."));
  auto* copy = flatButton(this, tr("Copy"),
                          tr("All rows in their present order to the clipboard, tab-separated with "
                             "headers. Ctrl+C in the table copies the selected ones."));
  auto* markdown = flatButton(this, tr("Copy as Markdown"),
                              tr("All rows in their present order as a Markdown table."));
  // Return in the table opens its row.
  auto* bar = new QWidget(this);
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(8, 4, 8, 4);
  line->setSpacing(6);
  line->addWidget(which_);
  line->addWidget(headline_, 1);
  for (QToolButton* button : {update, copy, markdown}) {
    button->setFocusPolicy(Qt::StrongFocus);
    line->addWidget(button);
  }
  connect(update, &QToolButton::clicked, this, &TableTwin::bringUpToDate);
  connect(copy, &QToolButton::clicked, this, [this] { copyAll(false); });
  connect(markdown, &QToolButton::clicked, this, [this] { copyAll(true); });
  return bar;
}

QString TableTwin::headline() const {
  return headline_->text();
}

void TableTwin::bringUpToDate() {
  const Exports exports = ask_();
  setWindowTitle(exports.title);
  const QString before = which_->currentText();
  tables_.clear();
  if (exports.table && exports.table->rows)
    tables_.push_back(
        {exports.tableName.isEmpty() ? exports.title : exports.tableName, *exports.table});
  tables_.insert(tables_.end(), exports.more.begin(), exports.more.end());
  const QSignalBlocker quiet(which_);
  which_->clear();
  for (const NamedTable& one : tables_)
    which_->addItem(one.name);
  which_->setCurrentIndex(std::max(0, which_->findText(before)));
  which_->setVisible(tables_.size() > 1);
  read();
}

void TableTwin::choose(int) {
  table_->sortByColumn(-1, Qt::AscendingOrder); // its columns are others
  read();
}

void TableTwin::read() {
  const int index = which_->currentIndex();
  if (index < 0) {
    model_->show({}, {});
    headline_->setText(tr("There is nothing to show yet."));
    return;
  }
  headline_->setText(tr("Reading …"));
  reading_.ask<Rows>(
      [table = tables_[std::size_t(index)].table](const Job& job) {
        Rows read;
        table.rows([&](const QStringList& cells) {
          if (int(read.rows.size()) == kMostRows) read.cut = true;
          if (read.cut || job.isStopped()) return false;
          read.rows.push_back(cells);
          return true;
        });
        job.check();
        return read;
      },
      [this](Rows rows) { take(std::move(rows)); },
      [this](const QString& why) {
        model_->show({}, {});
        headline_->setText(why);
      });
}

void TableTwin::take(Rows rows) {
  const auto count = std::ssize(rows.rows);
  const int row = table_->currentIndex().row();
  const bool same =
      model_->columnCount() == tables_[std::size_t(which_->currentIndex())].table.headers.size();
  model_->show(tables_[std::size_t(which_->currentIndex())].table.headers, std::move(rows.rows));
  headline_->setText(count == 0 ? tr("There is nothing to show yet.")
                     : rows.cut ? tr("the first %1 rows; Export writes all").arg(countText(count))
                                : tr("%1 rows, as of %2")
                                      .arg(countText(count), QTime::currentTime().toString(
                                                                 QStringLiteral("HH:mm:ss"))));
  if (!same) fitColumns();
  table_->setCurrentIndex(sorted_->index(std::clamp(row, 0, std::max(0, int(count) - 1)), 0));
}

void TableTwin::fitColumns() {
  const int most = fontMetrics().averageCharWidth() * 40;
  table_->resizeColumnsToContents();
  for (int column = 0; column < model_->columnCount(); ++column)
    table_->setColumnWidth(column, std::min(most, table_->columnWidth(column) + 12));
  const int wanted = table_->horizontalHeader()->length() + fontMetrics().averageCharWidth() * 6;
  const int room = parentWidget() ? parentWidget()->width() * 9 / 10 : wanted;
  resize(std::clamp(wanted, width(), std::max(width(), room)), height());
}

void TableTwin::openRow(const QModelIndex& index) {
  const int at = which_->currentIndex();
  const int column = at < 0 ? -1 : tables_[std::size_t(at)].table.recordColumn;
  if (column < 0) return;
  const qint64 record = index.siblingAtColumn(column).data(ExportRole).toLongLong();
  if (record > 0) Q_EMIT recordOpened(record);
}

void TableTwin::copyAll(bool markdown) {
  const ExportTable table = tableOf(table_);
  QApplication::clipboard()->setText(markdown ? markdownOf(table, kMostRows)
                                              : tsvOf(table, kMostRows));
}

} // namespace nestwright::ui

#include "moc_table_twin.cpp"
