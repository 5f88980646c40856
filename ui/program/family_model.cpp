#include "ui/program/family_model.h"

#include "ui/document/words/program_words.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>
#include <unordered_map>

namespace nestwright::ui {

FamilyModel::FamilyModel(QObject* parent) : TreeModel(parent) {
  setColumns(columns());
}

void FamilyModel::show(std::vector<Ancestor> family) {
  beginResetModel();
  family_ = std::move(family);
  clearNodes();
  if (!family_.empty()) build();
  endResetModel();
}

/// Breadth first, so that each ancestor is unfolded where it is nearest to the program.
void FamilyModel::build() {
  std::unordered_map<std::string, int> places;
  for (std::size_t i = 0; i < family_.size(); ++i)
    places.emplace(family_[i].program, static_cast<int>(i));
  std::vector<bool> unfolded(family_.size(), false);
  addNode({}, -1);
  for (int node = 0; node < nodeCount(); ++node) {
    const auto ancestor = static_cast<std::size_t>(row(node).ancestor);
    row(node).again = unfolded[ancestor];
    if (row(node).again) continue;
    unfolded[ancestor] = true;
    for (const std::string& parent : family_[ancestor].parents)
      if (const auto found = places.find(parent); found != places.end())
        addNode({found->second, false}, node);
  }
}

FamilyModel::Columns FamilyModel::columns() const {
  const auto dim = [](const Row& row) { return row.again ? QVariant() : QVariant(colours().dim); };
  return {
      {.title = tr("Program and parents"),
       .tip = tr("Below each program are those from which it was bred."),
       .text = [this](const Row& row) { return shortName(at(row).program); }},
      {.title = tr("Made by"),
       .tip = tr("The operation that made the program from its parents."),
       .text =
           [this](const Row& row) {
             const QString operation = qs(name(at(row).origin));
             if (at(row).task != 0)
               return tr("%1, of another task, in session %2").arg(operation).arg(at(row).session);
             return at(row).session == 0
                        ? operation
                        : tr("%1, in session %2").arg(operation).arg(at(row).session);
           },
       .colour = dim},
      {.title = tr("Predicted"),
       .tip = tr("The cost model's score when it was bred; higher is better, comparable within "
                 "a round."),
       .text =
           [this](const Row& row) {
             const auto& score = at(row).score;
             return score && std::isfinite(*score) ? QString::number(*score, 'f', 3) : noValue();
           },
       .align = kRight,
       .colour = dim},
      {.title = tr("Measured"),
       .tip = tr("Latency, if it was measured. Lower is better."),
       .text =
           [this](const Row& row) {
             return at(row).record == 0              ? noValue()
                    : std::isfinite(at(row).seconds) ? timeText(at(row).seconds)
                                                     : tr("failed");
           },
       .align = kRight}};
}

QVariant FamilyModel::rowData(const Row& row, int role) const {
  switch (role) {
  case ItemRole:
    return row.ancestor;
  case Qt::ForegroundRole:
    return row.again ? QVariant(colours().faint) : QVariant();
  case Qt::ToolTipRole:
    return tr("Program %1: %2%3")
        .arg(qs(at(row).program), originInWords(at(row).origin),
             row.again ? tr(". Its parents are shown where it stands first.") : QString());
  default:
    return {};
  }
}

} // namespace nestwright::ui

#include "moc_family_model.cpp"
