#include "ui/lab/share_model.h"

#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/table/dimmed.h"
#include "ui/kit/text.h"

#include <QApplication>
#include <QPainter>

#include <algorithm>

namespace nestwright::ui {

QString title(DataPart part) {
  switch (part) {
  case DataPart::Train:
    return ShareModel::tr("training");
  case DataPart::Validation:
    return ShareModel::tr("validation");
  case DataPart::Test:
    return ShareModel::tr("test");
  case DataPart::LeftOut:
    return ShareModel::tr("in no part");
  }
  return {};
}

QColor colourOf(DataPart part) {
  const Colours& c = colours();
  QColor colour = part == DataPart::Test ? c.series[1] : c.series[0];
  if (part == DataPart::Validation) colour.setAlpha(120);
  if (part == DataPart::LeftOut) colour = c.line;
  return colour;
}

std::size_t programsOf(const DataShare& share, DataPart part) {
  switch (part) {
  case DataPart::Train:
    return share.train;
  case DataPart::Validation:
    return share.validation;
  case DataPart::Test:
    return share.test;
  case DataPart::LeftOut:
    return share.leftOut;
  }
  return 0;
}

ShareModel::ShareModel(QObject* parent) : SortedTable(parent) {
  setColumns(columns());
}

void ShareModel::show(std::vector<DataShare> shares) {
  largest_ = 0;
  for (const DataShare& share : shares)
    largest_ = std::max(largest_, share.programs());
  giveRows(std::move(shares));
}

ShareModel::Columns ShareModel::columns() const {
  using Row = DataShare;
  const auto count = [](const QString& title, const QString& tip, auto of) {
    return TableColumn<Row>{
        .title = title,
        .tip = tip,
        .text =
            [of](const Row& row) { return of(row) == 0 ? noValue() : countText(qint64(of(row))); },
        .align = kRight,
        .sort = [of](const Row& row) { return qint64(of(row)); },
        .bare = [of](const Row& row) { return qint64(of(row)); },
        .firstOrder = Qt::DescendingOrder};
  };
  TableColumn<Row> split{
      .title = tr("Split"),
      .tip = tr("The programs by part: learned from, validated with, tested on, in no part. Bars "
                "are as long as there are programs."),
      .sort = [](const Row& row) { return qint64(row.programs()); },
      .bare = [](const Row&) { return QString(); },
      .firstOrder = Qt::DescendingOrder,
      .other = [this](const Row& row, int role) -> QVariant {
        if (role != SharesRole || largest_ == 0) return {};
        QVector<double> parts;
        for (const DataPart part : kDataParts)
          parts.append(double(programsOf(row, part)) / double(largest_));
        return QVariant::fromValue(parts);
      }};
  return {
      {.title = tr("Name"),
       .tip = tr("The network or task. ⊘ is held out: every task that it has, by what it "
                 "computes, is tested on and not learned from."),
       .text =
           [](const Row& row) {
             return (row.heldOut ? QStringLiteral("⊘ ") : QString()) + taskTitle(row.name);
           },
       .bare = [](const Row& row) { return qs(row.name); }},
      split,
      count(tr("Programs"), tr("Different programs that were measured."),
            [](const Row& row) { return row.programs(); }),
      count(tr("Training"), tr("Programs that are learned from."),
            [](const Row& row) { return row.train; }),
      count(tr("Validation"), tr("Programs that say when to stop; none of them is learned from."),
            [](const Row& row) { return row.validation; }),
      count(tr("Test"), tr("Programs that no model sees before it is judged."),
            [](const Row& row) { return row.test; }),
      count(tr("In no part"),
            tr("Programs that are left out: their task has too few, all of them failed, or "
               "they were not drawn."),
            [](const Row& row) { return row.leftOut; }),
      count(tr("Failed"), tr("Programs that did not run; where they are kept their label is 0."),
            [](const Row& row) { return row.failed; }),
      count(tr("Tasks"), tr("Tasks that the records have of it."),
            [](const Row& row) { return row.tasks; }),
      {.title = tr("Target"),
       .tip = tr("The machine that was measured on, of a set of several."),
       .text = [](const Row& row) { return qs(row.target); },
       .colour = kDimmed}};
}

QVariant ShareModel::rowData(const DataShare& share, int role) const {
  if (role != Qt::ToolTipRole) return {};
  QStringList parts;
  for (const DataPart part : kDataParts)
    if (const std::size_t programs = programsOf(share, part); programs > 0)
      parts << tr("%1 %2").arg(countText(qint64(programs)), title(part));
  return taskTitle(share.name) + QStringLiteral("\n") +
         (parts.isEmpty() ? tr("The records have no program of it.")
                          : tr("Programs: %1").arg(parts.join(QStringLiteral(", "))));
}

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const auto parts = index.data(SharesRole).value<QVector<double>>();
  const QRect room = option.rect.adjusted(4, 4, -4, -4);
  double from = 0;
  painter->save();
  for (qsizetype i = 0; i < parts.size(); ++i) {
    const double to = std::min(1.0, from + parts[i]);
    QRectF bar(room.left() + from * room.width(), room.top(), (to - from) * room.width(),
               room.height());
    // What is there is seen, however little it is.
    if (parts[i] > 0 && bar.width() < 1) bar.setWidth(1);
    painter->fillRect(bar, colourOf(kDataParts[std::size_t(i)]));
    from = to;
  }
  painter->restore();
}

} // namespace nestwright::ui

#include "moc_share_model.cpp"
