#include "ui/inspector/inspector_view.h"

#include "ui/inspector/derivation_view.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/phases_view.h"

#include <QTabWidget>
#include <QVBoxLayout>

namespace nestwright::ui {

InspectorView::InspectorView(Document& document, QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Search inspector"));
  pages_ = new QTabWidget(this);
  pages_->setDocumentMode(true);
  phases_ = new PhasesView(document, this);
  derivation_ = new DerivationView(document, this);
  generations_ = new GenerationsView(document, this);
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(page, title), tip);
  };
  add(phases_, tr("Phases"), tr("Where the present round is, phase by phase."));
  add(derivation_, tr("Sketches"), tr("How rules derive the task's sketches, stage by stage."));
  add(generations_, tr("Generations"), tr("How programs were bred from programs."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);
}

Exports InspectorView::exports() {
  return exportsOf(pages_->currentWidget(), QStringLiteral("inspector"),
                   pages_->tabText(pages_->currentIndex()));
}

} // namespace nestwright::ui
