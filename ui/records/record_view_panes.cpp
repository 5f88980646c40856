/// What stands beside the table of records, and how wide.

#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/row_table.h"
#include "ui/kit/theme.h"
#include "ui/records/record_details.h"
#include "ui/records/record_facets.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_statistics.h"
#include "ui/records/record_view.h"

#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kRoomyWidth = 760; // table and figures side by side
constexpr int kWideWidth = 1000; // and facets
constexpr int kPaneCharacters = 44;

} // namespace

void RecordView::showPane() {
  const bool record = document_.selection().current().record != 0,
             several = table_->selectedCount() > 1;
  // Of several records the figures are always told, wanted or not.
  const bool figures = figuresShown_->isChecked() || several;
  pane_->setVisible(figures || record);
  pane_->setTabVisible(0, figures);
  pane_->setTabVisible(1, record);
  pane_->setCurrentWidget(record && !several ? static_cast<QWidget*>(details_) : statistics_);
  fitPane();
}

/// As wide as its text needs, as long as the table keeps the larger part.
void RecordView::fitPane() {
  QList<int> sizes = parts_->sizes();
  if (paneSetByUser_ || pane_->isHidden() || parts_->width() == 0) return;
  // Facets that have just been asked for have no size yet, and none would hide them.
  if (facets_->isHidden())
    sizes[0] = 0;
  else if (sizes[0] == 0)
    sizes[0] = facets_->sizeHint().width();
  const int room = std::max(0, parts_->width() - sizes[0]);
  sizes[2] = std::min(fontMetrics().averageCharWidth() * kPaneCharacters, room * 2 / 5);
  sizes[1] = room - sizes[2];
  parts_->setSizes(sizes);
}

bool RecordView::hasRoomForFigures() const {
  return width() >= kRoomyWidth * Theme::instance().zoom();
}

bool RecordView::hasRoomForFacets() const {
  return width() >= kWideWidth * Theme::instance().zoom();
}

/// Until the user says whether there are to be figures, they are there when there is room.
void RecordView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  facetsShown_->setChecked(facetsAsked_.value_or(hasRoomForFacets()));
  facets_->setVisible(facetsShown_->isChecked());
  const bool on = figuresAsked_.value_or(hasRoomForFigures());
  if (on != figuresShown_->isChecked()) {
    figuresShown_->setChecked(on);
    showPane();
  }
  fitPane();
}

void RecordView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  figures_->setWanted(true);
}

void RecordView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  figures_->setWanted(false);
}

} // namespace nestwright::ui
