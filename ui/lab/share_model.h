#pragma once
/// \file How the programs of each network or task are split into parts, as a table with bars.

#include "core/story/data_story.h"
#include "ui/lab/sorted_table.h"

#include <QColor>
#include <QStyledItemDelegate>

#include <array>

namespace nestwright::ui {

/// Of a data set, in the order in which they are drawn.
enum class DataPart : std::uint8_t { Train, Validation, Test, LeftOut };
inline constexpr std::array kDataParts{DataPart::Train, DataPart::Validation, DataPart::Test,
                                       DataPart::LeftOut};
/// "training", "validation", "test", "in no part".
QString title(DataPart part);
QColor colourOf(DataPart part);
std::size_t programsOf(const DataShare& share, DataPart part);

class ShareModel : public SortedTable<DataShare> {
  Q_OBJECT
 public:
  enum Column { Name, Split, Programs, Train, Validation, Test, LeftOut, Failed, Tasks, Target };
  explicit ShareModel(QObject* parent = nullptr);
  void show(std::vector<DataShare> shares);

 private:
  Columns columns() const;
  QVariant rowData(const DataShare& share, int role) const override;

  std::size_t largest_ = 0; // programs of a row
};

/// Draws SharesRole as one bar of several colours.
class ShareDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

} // namespace nestwright::ui
