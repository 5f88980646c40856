#include "ui/program/feature_model.h"

#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QFont>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr int kFirstValue = 1; // column 0 is the feature's name

} // namespace

void FeatureModel::setProgram(const ProgramFeatures& features) {
  reset({features});
}

void FeatureModel::setPrograms(const ProgramFeatures& a, const ProgramFeatures& b) {
  reset({a, b});
}

void FeatureModel::clear() {
  reset({});
}

void FeatureModel::reset(std::vector<ProgramFeatures> programs) {
  beginResetModel();
  programs_ = std::move(programs);
  columns_.clear();
  names_ = featureNames(FeatureChoice());
  meanings_ = featureMeanings(FeatureChoice());
  const bool two = programs_.size() == 2;
  const auto add = [&](int side, std::size_t stage) {
    const QString name = qs(programs_[static_cast<std::size_t>(side)].stages[stage]);
    columns_.push_back({two ? QStringLiteral("%1 · %2").arg(name, side == 0 ? QStringLiteral("A")
                                                                            : QStringLiteral("B"))
                            : name,
                        side, static_cast<int>(stage), std::nullopt});
  };
  if (!programs_.empty())
    for (std::size_t i = 0; i < programs_[0].stages.size(); ++i) {
      add(0, i);
      if (!two) continue;
      const auto& others = programs_[1].stages;
      const auto found = std::find(others.begin(), others.end(), programs_[0].stages[i]);
      if (found == others.end()) continue;
      add(1, static_cast<std::size_t>(found - others.begin()));
      const int last = static_cast<int>(columns_.size()) - 1;
      columns_[static_cast<std::size_t>(last)].other = last - 1;
      columns_[static_cast<std::size_t>(last - 1)].other = last;
    }
  if (two)
    for (std::size_t i = 0; i < programs_[1].stages.size(); ++i)
      if (std::ranges::find(programs_[0].stages, programs_[1].stages[i]) ==
          programs_[0].stages.end())
        add(1, i);
  endResetModel();
}

int FeatureModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || columns_.empty() ? 0 : static_cast<int>(names_.size());
}

int FeatureModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size()) + 2;
}

std::optional<float> FeatureModel::value(int row, const ValueColumn& column) const {
  const ProgramFeatures& program = programs_[static_cast<std::size_t>(column.side)];
  const std::size_t at =
      static_cast<std::size_t>(column.stage) * names_.size() + static_cast<std::size_t>(row);
  if (at >= program.values.size()) return std::nullopt;
  return program.values[at];
}

bool FeatureModel::isDifferent(int row, const ValueColumn& column) const {
  if (programs_.size() != 2) return false;
  const std::optional<float> own = value(row, column);
  if (!column.other) return own.value_or(0) != 0;
  return own != value(row, columns_[static_cast<std::size_t>(*column.other)]);
}

bool FeatureModel::differs(int row) const {
  return std::ranges::any_of(columns_,
                             [&](const ValueColumn& column) { return isDifferent(row, column); });
}

int FeatureModel::differing() const {
  int count = 0;
  for (int row = 0; row < rowCount(); ++row)
    count += differs(row) ? 1 : 0;
  return count;
}

QVariant FeatureModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const int row = index.row(), column = index.column() - kFirstValue;
  const auto at = static_cast<std::size_t>(row);
  if (role == DiffersRole) return differs(row);
  if (column < 0 || column == static_cast<int>(columns_.size())) {
    const bool name = column < 0;
    switch (role) {
    case Qt::DisplayRole:
      return name ? (differs(row) ? QStringLiteral("≠ %1") : QStringLiteral("%1"))
                        .arg(qs(names_[at]))
                  : qs(meanings_[at]);
    case SortRole:
      return name ? QVariant(row) : QVariant(qs(meanings_[at]));
    case Qt::ToolTipRole:
      return qs(meanings_[at]);
    case Qt::ForegroundRole:
      return name ? QVariant() : QVariant(colours().dim);
    default:
      return {};
    }
  }
  const ValueColumn& shown = columns_[static_cast<std::size_t>(column)];
  const std::optional<float> number = value(row, shown);
  switch (role) {
  case Qt::DisplayRole:
    return number && *number != 0 ? QString::number(static_cast<double>(*number), 'g', 5)
                                  : QStringLiteral("·");
  case SortRole:
    return number ? static_cast<double>(*number) : 0.0;
  case Qt::TextAlignmentRole:
    return int(Qt::AlignRight | Qt::AlignVCenter);
  case Qt::ToolTipRole:
    return number ? tr("%1\n%2 on the logarithmic scale log2(x + 1): x is about %3, unless the "
                       "feature is a yes or no.")
                        .arg(qs(meanings_[at]))
                        .arg(static_cast<double>(*number), 0, 'g', 6)
                        .arg(std::exp2(static_cast<double>(*number)) - 1, 0, 'g', 4)
                  : QString();
  case Qt::FontRole:
    if (isDifferent(row, shown)) {
      QFont font;
      font.setBold(true);
      return font;
    }
    return {};
  case Qt::BackgroundRole:
    if (isDifferent(row, shown)) {
      QColor ground = colours().series[static_cast<std::size_t>(shown.side)];
      ground.setAlpha(colours().dark ? 60 : 34);
      return ground;
    }
    return {};
  default:
    return {};
  }
}

QVariant FeatureModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const int column = section - kFirstValue;
  const bool value = column >= 0 && column < static_cast<int>(columns_.size());
  if (role == Qt::DisplayRole)
    return column < 0 ? tr("Feature")
           : value    ? columns_[static_cast<std::size_t>(column)].title
                      : tr("What it counts");
  if (role == Qt::ToolTipRole)
    return column < 0 ? tr("The paper's 164 features, then those of the program as it is executed "
                           "(lowered); ≠ marks those in which two programs differ.")
           : value ? tr("Values of the statement that computes this stage, on a logarithmic scale "
                        "log2(x + 1); a dot stands for 0.")
                   : tr("What the feature counts, before it is put on the logarithmic scale.");
  if (role == Qt::TextAlignmentRole)
    return int((value ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

} // namespace nestwright::ui
