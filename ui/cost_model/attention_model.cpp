#include "ui/cost_model/attention_model.h"

#include "ui/kit/colour_map.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

/// Of a step's words beside its row.
constexpr int kTitleLetters = 44;

QString rowTitle(const QString& step) {
  return step.size() <= kTitleLetters ? step : step.left(kTitleLetters - 1) + QStringLiteral("…");
}

} // namespace

void AttentionModel::show(const ScoreStory& story) {
  beginResetModel();
  attention_ = story.attention.value_or(Attention());
  steps_.clear();
  largest_ = 0;
  for (std::size_t i = 0; i < attention_.rows; ++i) {
    steps_.push_back(story.parts[i].name);
    for (std::size_t of = 0; of < attention_.rows; ++of)
      largest_ = std::max(largest_, static_cast<double>(attention_.share(i, of)));
  }
  endResetModel();
}

ExportTable AttentionModel::exportTable() const {
  QStringList headers{tr("step")};
  for (int column = 0; column < columnCount(); ++column)
    headers.append(headerData(column, Qt::Horizontal, ExportRole).toString());
  std::vector<QStringList> rows;
  for (int row = 0; row < rowCount(); ++row) {
    QStringList cells{steps_[static_cast<std::size_t>(row)]};
    for (int column = 0; column < columnCount(); ++column)
      cells.append(data(index(row, column), ExportRole).toString());
    rows.push_back(std::move(cells));
  }
  return tableOfRows(headers, std::move(rows));
}

int AttentionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}

int AttentionModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || steps_.empty() ? 0 : static_cast<int>(steps_.size()) + 1;
}

double AttentionModel::share(const QModelIndex& cell) const {
  return static_cast<double>(attention_.share(static_cast<std::size_t>(cell.row()),
                                              static_cast<std::size_t>(cell.column())));
}

QString AttentionModel::words(const QModelIndex& cell) const {
  const QString looks = steps_[static_cast<std::size_t>(cell.row())];
  const QString part = percentText(share(cell));
  if (cell.column() == rowCount())
    return tr("%1\ngives %2 of its attention to the padding behind the program.").arg(looks, part);
  return tr("%1\ngives %2 of its attention to\n%3")
      .arg(looks, part, steps_[static_cast<std::size_t>(cell.column())]);
}

QVariant AttentionModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const QColor ground = mapColour(share(index) / largest_, colours().dark);
  switch (role) {
  case Qt::DisplayRole:
    return QString::number(100 * share(index), 'f', 1);
  case ExportRole:
    return QString::number(share(index), 'g', 8);
  case Qt::BackgroundRole:
    return ground;
  case Qt::ForegroundRole:
    return textOn(ground);
  case Qt::TextAlignmentRole:
    return int(Qt::AlignCenter);
  case Qt::ToolTipRole:
    return words(index);
  case Qt::AccessibleTextRole:
    return words(index).replace(QLatin1Char('\n'), QLatin1Char(' '));
  default:
    return {};
  }
}

QVariant AttentionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (section < 0 || section > rowCount()) return {};
  const bool padding = section == rowCount();
  if (padding && orientation == Qt::Vertical) return {};
  switch (role) {
  case Qt::DisplayRole:
    if (orientation == Qt::Horizontal && !padding) return QString::number(section);
    return padding ? tr("padding") : rowTitle(steps_[static_cast<std::size_t>(section)]);
  case ExportRole:
    return padding ? tr("padding") : QString::number(section);
  case Qt::ToolTipRole:
    return padding ? tr("Shorter programs are filled up with steps that say nothing: what all of "
                        "them get together, in percent.")
                   : steps_[static_cast<std::size_t>(section)];
  default:
    return {};
  }
}

} // namespace nestwright::ui

#include "moc_attention_model.cpp"
