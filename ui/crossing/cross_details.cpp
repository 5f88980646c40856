#include "ui/crossing/cross_details.h"

#include "ui/crossing/crossing_control.h"
#include "ui/crossing/crossing_strip.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/comparison_side.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/column_titles.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/family_model.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

namespace nestwright::ui {

CrossDetails::CrossDetails(Document& document, CrossingControl& control, QWidget* parent)
    : QWidget(parent), document_(document), control_(control) {
  title_ = new QLabel(this);
  title_->setWordWrap(true);
  title_->setContentsMargins(6, 2, 6, 2);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  strip_ = new CrossingStrip(this);
  stepModel_ = new QStandardItemModel(this);
  steps_ = new QTableView(this);
  steps_->setModel(stepModel_);
  setUpTable(steps_);
  steps_->setAccessibleName(tr("Steps of the cross"));
  family_ = new FamilyModel(this);
  familyTree_ = new QTreeView(this);
  familyTree_->setModel(family_);
  familyTree_->setAccessibleName(tr("Family tree of the cross"));
  addCopying(familyTree_);
  familyTree_->setUniformRowHeights(true);
  familyTree_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  tabs_ = new QTabWidget(this);
  tabs_->setDocumentMode(true);
  tabs_->addTab(steps_, tr("Steps"));
  tabs_->addTab(familyTree_, tr("Family Tree"));
  tabs_->setTabToolTip(0, tr("The steps of the cross, and whose they were."));
  tabs_->setTabToolTip(1, tr("From which programs it was bred, once it was measured."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(title_);
  layout->addWidget(strip_);
  layout->addWidget(tabs_, 1);
  setMinimumWidth(180);
  connect(strip_, &CrossingStrip::picked, this, [this](int step) {
    steps_->selectRow(step);
    steps_->scrollTo(stepModel_->index(step, 0));
  });
  connect(
      steps_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
      [this](const QModelIndex& current) { strip_->mark(current.isValid() ? current.row() : -1); });
  connect(familyTree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    const int at = index.data(ItemRole).toInt();
    const Ancestor& ancestor = family_->family()[static_cast<std::size_t>(at)];
    if (ancestor.record != 0) document_.selection().select({control_.task(), ancestor.record});
  });
  connect(&control_, &CrossingControl::changed, this, &CrossDetails::readFamily);
  connect(&Theme::instance(), &Theme::changed, this, &CrossDetails::colourSteps);
}

QString CrossDetails::title() const {
  return title_->text();
}

void CrossDetails::showFamilyTree() {
  tabs_->setCurrentWidget(familyTree_);
}

void CrossDetails::showChild(int child) {
  child_ = child;
  stepModel_->clear();
  family_->show({});
  familyOf_ = 0;
  if (child < 0) {
    strip_->show({});
    title_->setText(control_.children().empty()
                        ? QString()
                        : tr("Select a cross to see which step came from which parent."));
    return;
  }
  const CrossChild& one = control_.children()[static_cast<std::size_t>(child)];
  title_->setText(tr("Cross %1: A is P%2 (%3), B is P%4 (%5)")
                      .arg(child + 1)
                      .arg(one.parents[0] + 1)
                      .arg(timeText(control_.parentOf(one, 0).seconds))
                      .arg(one.parents[1] + 1)
                      .arg(timeText(control_.parentOf(one, 1).seconds)));
  if (one.outcome == CrossOutcome::Illegal)
    title_->setText(title_->text() + tr("\nIllegal: %1").arg(qs(one.reason)));
  const std::vector<CrossedStep>& steps = control_.stepsOf(child);
  strip_->show(steps);
  setColumns(*stepModel_,
             {{tr("From"), tr("The parent that the step was taken from, A or B.")},
              {tr("Node"), tr("The stage of the compute DAG that the step is about.")},
              {tr("Step"), tr("The schedule primitive and its numbers, in the order in which they "
                              "are applied.")}});
  for (const CrossedStep& step : steps) {
    const Side side = step.origin == 0 ? Side::A : Side::B;
    auto* from = new QStandardItem(letterOf(side));
    auto* words = new QStandardItem(qs(step.words));
    words->setToolTip(words->text());
    QList<QStandardItem*> row{from, new QStandardItem(qs(step.stage)), words};
    for (QStandardItem* item : row)
      item->setEditable(false);
    stepModel_->appendRow(row);
  }
  colourSteps();
  steps_->resizeColumnsToContents();
  readFamily();
}

/// The letters stand beside a square in the side's colour: in it, they would be too thin to read.
void CrossDetails::colourSteps() {
  for (int row = 0; row < stepModel_->rowCount(); ++row) {
    QStandardItem* from = stepModel_->item(row);
    from->setData(colourOf(from->text() == letterOf(Side::A) ? Side::A : Side::B),
                  Qt::DecorationRole);
  }
}

/// Of the child in view, once it was measured.
void CrossDetails::readFamily() {
  if (child_ < 0) return;
  const std::optional<MeasuredCross> measured = control_.measured(child_);
  if (!measured || measured->record == familyOf_) return;
  familyOf_ = measured->record;
  control_.readFamily(child_, [this, child = child_](std::vector<Ancestor> family) {
    if (child != child_) return;
    family_->show(std::move(family));
    familyTree_->expandAll();
  });
}

} // namespace nestwright::ui

#include "moc_cross_details.cpp"
