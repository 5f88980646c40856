#include "ui/program/family_model.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/program_family.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace nestwright::ui {

void FamilyModel::show(std::vector<Ancestor> family) {
  beginResetModel();
  family_ = std::move(family);
  rows_.clear();
  if (!family_.empty()) build();
  endResetModel();
}

/// Breadth first, so that each ancestor is unfolded where it is nearest to the program.
void FamilyModel::build() {
  std::unordered_map<std::string, int> places;
  for (std::size_t i = 0; i < family_.size(); ++i)
    places.emplace(family_[i].program, static_cast<int>(i));
  std::vector<bool> unfolded(family_.size(), false);
  rows_.push_back({});
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const auto ancestor = static_cast<std::size_t>(rows_[row].ancestor);
    rows_[row].again = unfolded[ancestor];
    if (rows_[row].again) continue;
    unfolded[ancestor] = true;
    for (const std::string& parent : family_[ancestor].parents) {
      const auto found = places.find(parent);
      if (found == places.end()) continue;
      const int place = static_cast<int>(rows_[row].children.size());
      rows_[row].children.push_back(static_cast<int>(rows_.size()));
      rows_.push_back({found->second, static_cast<int>(row), place, false, {}});
    }
  }
}

QModelIndex FamilyModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const int at =
      parent.isValid() ? rows_[parent.internalId()].children[static_cast<std::size_t>(row)] : 0;
  return createIndex(row, column, static_cast<quintptr>(at));
}

QModelIndex FamilyModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const int parent = rows_[index.internalId()].parent;
  if (parent < 0) return {};
  return createIndex(rows_[static_cast<std::size_t>(parent)].place, 0,
                     static_cast<quintptr>(parent));
}

int FamilyModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  if (!parent.isValid()) return rows_.empty() ? 0 : 1;
  return static_cast<int>(rows_[parent.internalId()].children.size());
}

int FamilyModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

QVariant FamilyModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[index.internalId()];
  const Ancestor& ancestor = family_[static_cast<std::size_t>(row.ancestor)];
  if (role == AncestorRole) return row.ancestor;
  if (role == Qt::TextAlignmentRole && index.column() >= Predicted)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role == Qt::ForegroundRole)
    return row.again                                                 ? QVariant(colours().faint)
           : index.column() == Program || index.column() == Measured ? QVariant()
                                                                     : QVariant(colours().dim);
  if (role == Qt::ToolTipRole)
    return tr("Program %1: %2%3")
        .arg(qs(ancestor.program), originInWords(ancestor.origin),
             row.again ? tr(". Its parents are shown where it stands first.") : QString());
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
  case Program:
    return shortName(ancestor.program);
  case Origin:
    return ancestor.session == 0
               ? qs(name(ancestor.origin))
               : tr("%1, in session %2").arg(qs(name(ancestor.origin))).arg(ancestor.session);
  case Predicted:
    return ancestor.score && std::isfinite(*ancestor.score)
               ? QString::number(*ancestor.score, 'f', 3)
               : noValue();
  case Measured:
    return ancestor.record == 0              ? noValue()
           : std::isfinite(ancestor.seconds) ? timeText(ancestor.seconds)
                                             : tr("failed");
  }
  return {};
}

QVariant FamilyModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= Predicted)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role == Qt::DisplayRole)
    return section == Program     ? tr("Program and parents")
           : section == Origin    ? tr("Made by")
           : section == Predicted ? tr("Predicted")
                                  : tr("Measured");
  if (role != Qt::ToolTipRole) return {};
  return section == Program     ? tr("Below each program are those from which it was bred.")
         : section == Origin    ? tr("The operation that made the program from its parents.")
         : section == Predicted ? tr("The cost model's score when it was bred; higher is better, "
                                     "comparable within a round.")
                                : tr("Latency, if it was measured. Lower is better.");
}

} // namespace nestwright::ui
