#include "ui/program/feature_model.h"

#include "ui/kit/colours.h"
#include "ui/kit/table/dimmed.h"
#include "ui/kit/text.h"

#include <QFont>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::ui {

void FeatureModel::setProgram(const ProgramFeatures& features) {
  reset({features});
}

void FeatureModel::setPrograms(const ProgramFeatures& a, const ProgramFeatures& b) {
  reset({a, b});
}

void FeatureModel::clear() {
  reset({});
}

/// Stage by stage, those of two programs side by side; at the end those that only b has.
std::vector<FeatureModel::Stage>
FeatureModel::stagesOf(const std::vector<ProgramFeatures>& programs) const {
  std::vector<Stage> stages;
  const bool two = programs.size() == 2;
  const auto add = [&](int side, std::size_t stage) {
    const QString name = qs(programs[static_cast<std::size_t>(side)].statements[stage]);
    stages.push_back({two ? QStringLiteral("%1 · %2").arg(name, side == 0 ? QStringLiteral("A")
                                                                          : QStringLiteral("B"))
                          : name,
                      side, static_cast<int>(stage), std::nullopt});
  };
  if (!programs.empty())
    for (std::size_t i = 0; i < programs[0].statements.size(); ++i) {
      add(0, i);
      if (!two) continue;
      const auto& others = programs[1].statements;
      const auto found = std::find(others.begin(), others.end(), programs[0].statements[i]);
      if (found == others.end()) continue;
      add(1, static_cast<std::size_t>(found - others.begin()));
      const int last = static_cast<int>(stages.size()) - 1;
      stages[static_cast<std::size_t>(last)].other = last - 1;
      stages[static_cast<std::size_t>(last - 1)].other = last;
    }
  if (two)
    for (std::size_t i = 0; i < programs[1].statements.size(); ++i)
      if (std::ranges::find(programs[0].statements, programs[1].statements[i]) ==
          programs[0].statements.end())
        add(1, i);
  return stages;
}

void FeatureModel::reset(std::vector<ProgramFeatures> programs) {
  beginResetModel();
  programs_ = std::move(programs);
  stages_ = stagesOf(programs_);
  listFeatures();
  rows_.resize(stages_.empty() ? 0 : names_.size());
  std::iota(rows_.begin(), rows_.end(), 0);
  setColumns(columns());
  endResetModel();
}

/// Those of the first program, then what only the second one has: programs of a processor and of a
/// GPU differ in what is told of them as they are executed.
void FeatureModel::listFeatures() {
  names_.clear();
  meanings_.clear();
  columns_.clear();
  for (std::size_t side = 0; side < programs_.size(); ++side) {
    const std::vector<std::string> names = featureNames(programs_[side].choice);
    const std::vector<std::string> meanings = featureMeanings(programs_[side].choice);
    columns_.emplace_back();
    for (std::size_t column = 0; column < names.size(); ++column) {
      columns_[side][names[column]] = column;
      if (side > 0 && columns_[0].contains(names[column])) continue;
      names_.push_back(names[column]);
      meanings_.push_back(meanings[column]);
    }
  }
}

std::optional<float> FeatureModel::value(int row, const Stage& stage) const {
  const auto side = static_cast<std::size_t>(stage.side);
  const auto column = columns_[side].find(names_[static_cast<std::size_t>(row)]);
  if (column == columns_[side].end()) return std::nullopt;
  const std::size_t width = programs_[side].choice.columns();
  return programs_[side].values[static_cast<std::size_t>(stage.stage) * width + column->second];
}

bool FeatureModel::isDifferent(int row, const Stage& stage) const {
  if (programs_.size() != 2) return false;
  const std::optional<float> own = value(row, stage);
  if (!stage.other) return own.value_or(0) != 0;
  return own != value(row, stages_[static_cast<std::size_t>(*stage.other)]);
}

bool FeatureModel::differs(int row) const {
  return std::ranges::any_of(stages_, [&](const Stage& stage) { return isDifferent(row, stage); });
}

int FeatureModel::differing() const {
  int count = 0;
  for (int row = 0; row < rowCount(); ++row)
    count += differs(row) ? 1 : 0;
  return count;
}

FeatureModel::Columns FeatureModel::columns() const {
  const auto meaning = [this](int feature) {
    return qs(meanings_[static_cast<std::size_t>(feature)]);
  };
  Columns columns{
      {.title = tr("Feature"),
       .tip = tr("The paper's 164 features, then those of the program as it is executed (lowered, "
                 "or gpu); ≠ marks those in which two programs differ."),
       .text =
           [this](int feature) {
             return (differs(feature) ? QStringLiteral("≠ %1") : QStringLiteral("%1"))
                 .arg(qs(names_[static_cast<std::size_t>(feature)]));
           },
       .sort = [](int feature) { return feature; }}};
  for (const Stage& stage : stages_)
    columns.push_back(valuesOf(stage));
  columns.push_back(
      {.title = tr("What it counts"),
       .tip = tr("What the feature counts, before it is put on the logarithmic scale."),
       .text = meaning,
       .colour = kDimmed});
  return columns;
}

TableColumn<int> FeatureModel::valuesOf(const Stage& stage) const {
  const auto number = [this, stage](int feature) {
    return static_cast<double>(value(feature, stage).value_or(0));
  };
  return {.title = stage.title,
          .tip = tr("Values of the statement that computes this stage, on a logarithmic scale "
                    "log2(x + 1); a dot stands for 0."),
          .text =
              [number](int feature) {
                return number(feature) != 0 ? QString::number(number(feature), 'g', 5)
                                            : QStringLiteral("·");
              },
          .align = kRight,
          .sort = number,
          .toolTip =
              [this, stage, number](int feature) {
                if (!value(feature, stage)) return QString();
                return tr("%1\n%2 on the logarithmic scale log2(x + 1): x is about %3, unless the "
                          "feature is a yes or no.")
                    .arg(qs(meanings_[static_cast<std::size_t>(feature)]))
                    .arg(number(feature), 0, 'g', 6)
                    .arg(std::exp2(number(feature)) - 1, 0, 'g', 4);
              },
          .other =
              [this, stage](int feature, int role) {
                if (role != Qt::FontRole && role != Qt::BackgroundRole) return QVariant();
                if (!isDifferent(feature, stage)) return QVariant();
                QFont font;
                font.setBold(true);
                if (role == Qt::FontRole) return QVariant(font);
                QColor ground = colours().series[static_cast<std::size_t>(stage.side)];
                ground.setAlpha(colours().dark ? 60 : 34);
                return QVariant(ground);
              }};
}

QVariant FeatureModel::rowData(const int& feature, int role) const {
  if (role == DiffersRole) return differs(feature);
  if (role == Qt::ToolTipRole) return qs(meanings_[static_cast<std::size_t>(feature)]);
  return {};
}

} // namespace nestwright::ui

#include "moc_feature_model.cpp"
