#pragma once
/// \file The rows of a table of ours in the order of one of its columns.

#include <QSortFilterProxyModel>

#include <optional>
#include <variant>
#include <vector>

namespace nestwright::ui {

/// Sorts by SortRole: numbers before texts, and what has neither last. Each row's key is asked for
/// once after it changed, not once for each pair that is compared: tables have tens of thousands of
/// rows. Only for flat models.
class SortedRows : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit SortedRows(QObject* parent = nullptr);

  void setSourceModel(QAbstractItemModel* model) override;

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  using Key = std::variant<double, QString, std::monostate>;

  const Key& keyOf(const QModelIndex& index) const;
  void forgetKeys();

  mutable int column_ = -1; // whose keys these are
  mutable std::vector<std::optional<Key>> keys_;
  std::vector<QMetaObject::Connection> changes_;
};

} // namespace nestwright::ui
