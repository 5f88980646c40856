#include "ui/lab/figure_table.h"

#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"
#include "ui/lab/figure_model.h"

namespace nestwright::ui {

FigureTable::FigureTable(QWidget* parent) : QTableView(parent), rows_(new FigureModel(this)) {
  setModel(rows_);
  setAccessibleName(tr("Figures of the models"));
  setUpTable(this);
  setItemDelegate(new CellBarDelegate(this));
  connect(&Theme::instance(), &Theme::changed, this, &FigureTable::restyle);
  restyle();
}

void FigureTable::showLook(const JudgedLook& look) {
  const bool same = look.judged == look_.judged && look.k == look_.k;
  look_ = look;
  if (same) return;
  rows_->show(look_.judged, look_.k);
  restyle();
}

void FigureTable::restyle() {
  fitColumn(this, 0, QStringLiteral("Top-10 of mobilenet_v2:batch=1"));
  for (int column = 1; column < rows_->columnCount(); ++column)
    fitColumn(this, column,
              QStringLiteral("−0.888 (−0.888 … 0.888)")); // or a bold one without signs
}

} // namespace nestwright::ui

#include "moc_figure_table.cpp"
