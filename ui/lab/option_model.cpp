#include "ui/lab/option_model.h"

#include "ui/kit/table/dimmed.h"
#include "ui/kit/text.h"

#include <QFont>

#include <algorithm>

namespace nestwright::ui {

OptionModel::OptionModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

QString OptionModel::show(const ModelWish& wish) {
  wish_ = wish;
  try {
    ModelWish usual = wish;
    usual.options = nlohmann::json::object();
    std::vector<TrainingOption> options = optionsOf(wish);
    usual_ = optionsOf(usual);
    // The loss has a box of its own.
    std::erase_if(options, [](const TrainingOption& option) { return option.name == "loss"; });
    const bool same =
        std::ranges::equal(options, rows_, {}, &TrainingOption::name, &TrainingOption::name);
    if (!same) {
      setRows(std::move(options));
    } else {
      rows_ = std::move(options);
      tellChanged();
    }
  } catch (const InputError& error) {
    return qs(error.what());
  }
  return {};
}

QString OptionModel::usualOf(const TrainingOption& option) const {
  const auto found = std::ranges::find(usual_, option.name, &TrainingOption::name);
  return found == usual_.end() ? QString() : qs(found->value);
}

void OptionModel::set(int row, const QString& value) {
  const std::string name = this->row(row).name;
  ModelWish wish = wish_;
  try {
    if (value.isEmpty() || value == usualOf(this->row(row)))
      wish.options.erase(name);
    else
      setOption(wish, name, value.toStdString());
    settledOptions(wish);
  } catch (const InputError& error) {
    return Q_EMIT refused(qs(error.what()));
  }
  show(wish);
  Q_EMIT changed();
}

OptionModel::Columns OptionModel::columns() const {
  using Row = TrainingOption;
  const auto boldWhereChanged = [this](const Row& row, int role) -> QVariant {
    if (role == Qt::EditRole) return qs(row.value);
    if (role != Qt::FontRole || !isChanged(row.name)) return {};
    QFont bold;
    bold.setBold(true);
    return bold;
  };
  return {{.title = tr("Option"),
           .tip = tr("The options of the training. Those that are not as published are bold."),
           .text = [](const Row& row) { return qs(row.name); },
           .other = boldWhereChanged},
          {.title = tr("Value"),
           .tip = tr("Double-click or press F2 to change it; without a text it is as published "
                     "again."),
           .text = [](const Row& row) { return qs(row.value); },
           .align = kRight,
           .other = boldWhereChanged},
          {.title = tr("Published"),
           .tip = tr("The value of the paper for this model and loss."),
           .text = [this](const Row& row) { return usualOf(row); },
           .align = kRight,
           .colour = kDimmed},
          {.title = tr("Meaning"),
           .tip = tr("What the option says."),
           .text = [](const Row& row) { return qs(row.meaning); },
           .colour = kDimmed}};
}

QVariant OptionModel::rowData(const TrainingOption& option, int role) const {
  return role == Qt::ToolTipRole
             ? QVariant(QStringLiteral("%1: %2").arg(qs(option.name), qs(option.meaning)))
             : QVariant();
}

bool OptionModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != Value || role != Qt::EditRole) return false;
  const QString text = value.toString().trimmed();
  if (text == qs(row(index.row()).value)) return true;
  set(index.row(), text);
  return true;
}

Qt::ItemFlags OptionModel::flags(const QModelIndex& index) const {
  return TableModel::flags(index) |
         (index.isValid() && index.column() == Value ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

} // namespace nestwright::ui

#include "moc_option_model.cpp"
