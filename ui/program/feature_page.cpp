#include "ui/program/feature_page.h"

#include "ui/kit/roles.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"
#include "ui/program/feature_model.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

/// Features whose name or meaning has the text, and that differ where that is asked for.
class FeatureRows : public SortedRows {
 public:
  using SortedRows::SortedRows;
  void setOnlyDifferent(bool only) {
    only_ = only;
    invalidateFilter();
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QAbstractItemModel* model = sourceModel();
    const QModelIndex name = model->index(row, 0, parent);
    if (only_ && !name.data(DiffersRole).toBool()) return false;
    const QString text = filterRegularExpression().pattern();
    return text.isEmpty() || name.data().toString().contains(text, Qt::CaseInsensitive) ||
           name.data(Qt::ToolTipRole).toString().contains(text, Qt::CaseInsensitive);
  }

 private:
  bool only_ = false;
};

} // namespace

QString featureText(const ProgramFeatures& features) {
  FeatureModel model;
  model.setProgram(features);
  QStringList lines;
  for (int row = -1; row < model.rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
      cells.append(row < 0 ? model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()
                           : model.index(row, column).data().toString());
    lines.append(cells.join(QLatin1Char('\t')));
  }
  return lines.join(QLatin1Char('\n'));
}

FeaturePage::FeaturePage(QWidget* parent)
    : QWidget(parent), model_(new FeatureModel(this)), rows_(new FeatureRows(this)),
      search_(new QLineEdit(this)), different_(new QToolButton(this)), summary_(new QLabel(this)),
      table_(new QTableView(this)) {
  rows_->setSourceModel(model_);
  table_->setModel(rows_);
  table_->setAccessibleName(tr("Features"));
  setUpTable(table_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(0, Qt::AscendingOrder);
  search_->setPlaceholderText(tr("Find a feature"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Find a feature by its name or meaning"));
  search_->setToolTip(tr("Lists only features with these words in their name or explanation."));
  search_->setMaximumWidth(220);
  different_->setText(tr("Only differing"));
  different_->setCheckable(true);
  different_->setAutoRaise(true);
  different_->setToolTip(tr("Only the features in which the two programs differ."));
  different_->hide();
  auto* row = new QHBoxLayout;
  row->setContentsMargins(10, 3, 8, 3);
  row->addWidget(summary_, 1);
  row->addWidget(different_);
  row->addWidget(search_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(table_, 1);
  // QRegularExpression would read brackets; this looks for the text as it is.
  connect(search_, &QLineEdit::textChanged, rows_,
          [this](const QString& text) { rows_->setFilterRegularExpression(text); });
  connect(different_, &QToolButton::toggled, rows_,
          [this](bool only) { static_cast<FeatureRows*>(rows_)->setOnlyDifferent(only); });
  connect(&Theme::instance(), &Theme::changed, this, &FeaturePage::fit);
}

void FeaturePage::fit() {
  QHeaderView* header = table_->horizontalHeader();
  header->setStretchLastSection(true);
  const auto wide = [&](const QString& text) {
    return table_->fontMetrics().horizontalAdvance(text) + 24;
  };
  for (int column = 0; column + 1 < rows_->columnCount(); ++column) {
    const QString title = rows_->headerData(column, Qt::Horizontal).toString();
    header->resizeSection(column, column == 0
                                      ? wide(QStringLiteral("≠ B0.reuse_dis_in_bytes_xxxx"))
                                      : std::max(wide(title), wide(QStringLiteral("123.456"))));
  }
}

void FeaturePage::show(const ProgramFeatures& features) {
  model_->setProgram(features);
  different_->hide();
  summary_->setText(
      tr("%1 numbers for each statement, on the scale log2(x + 1)").arg(model_->rowCount()));
  fit();
}

void FeaturePage::show(const ProgramFeatures& a, const ProgramFeatures& b) {
  model_->setPrograms(a, b);
  different_->show();
  summary_->setText(
      tr("%1 of %2 features differ").arg(model_->differing()).arg(model_->rowCount()));
  fit();
}

void FeaturePage::showProblem(const QString& why) {
  model_->clear();
  different_->hide();
  summary_->setText(why);
}

} // namespace nestwright::ui

#include "moc_feature_page.cpp"
