#include "ui/kit/table/sorted_rows.h"

#include "ui/kit/roles.h"

#include <cmath>
#include <utility>

namespace nestwright::ui {

SortedRows::SortedRows(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(SortRole);
}

void SortedRows::setSourceModel(QAbstractItemModel* model) {
  for (const QMetaObject::Connection& change : std::exchange(changes_, {}))
    disconnect(change);
  // Before the base class connects itself: it sorts in its answers to the same signals.
  if (model) {
    const auto forgetAt = [&](auto signal) {
      changes_.push_back(connect(model, signal, this, &SortedRows::forgetKeys));
    };
    using Model = QAbstractItemModel;
    forgetAt(&Model::dataChanged);
    forgetAt(&Model::modelReset);
    forgetAt(&Model::layoutChanged);
    forgetAt(&Model::rowsInserted);
    forgetAt(&Model::rowsRemoved);
    forgetAt(&Model::rowsMoved);
  }
  forgetKeys();
  QSortFilterProxyModel::setSourceModel(model);
}

bool SortedRows::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const Key& own = keyOf(left);
  const Key& other = keyOf(right);
  const auto *text = std::get_if<QString>(&own), *otherText = std::get_if<QString>(&other);
  if (text && otherText) return text->compare(*otherText, sortCaseSensitivity()) < 0;
  return own < other;
}

const SortedRows::Key& SortedRows::keyOf(const QModelIndex& index) const {
  if (index.column() != column_) keys_.clear(), column_ = index.column();
  if (keys_.empty()) keys_.resize(static_cast<std::size_t>(sourceModel()->rowCount()));
  std::optional<Key>& key = keys_[static_cast<std::size_t>(index.row())];
  if (!key) {
    const QVariant value = index.data(sortRole());
    bool isNumber = value.typeId() != QMetaType::QString;
    const double number = isNumber ? value.toDouble(&isNumber) : 0;
    if (!value.isValid() || (isNumber && std::isnan(number)))
      key = std::monostate();
    else if (isNumber)
      key = number;
    else
      key = value.toString();
  }
  return *key;
}

void SortedRows::forgetKeys() {
  keys_.clear();
}

} // namespace nestwright::ui

#include "moc_sorted_rows.cpp"
