#include "ui/inspector/inspector_view.h"

#include "ui/document/document.h"
#include "ui/document/policy_offer.h"
#include "ui/document/reading/course_reader.h"
#include "ui/document/session_follower.h"
#include "ui/inspector/configurations_view.h"
#include "ui/inspector/derivation_view.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/knob_reader.h"
#include "ui/inspector/knob_subject.h"
#include "ui/inspector/phases_view.h"
#include "ui/inspector/plan_view.h"
#include "ui/inspector/polish_view.h"

#include <QTabWidget>
#include <QVBoxLayout>

namespace nestwright::ui {

InspectorView::InspectorView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), knobs_(new KnobReader(document, this)),
      course_(new CourseReader(document, Reader::Channel::InspectedCourse, this)) {
  setAccessibleName(tr("Search inspector"));
  pages_ = new QTabWidget(this);
  pages_->setDocumentMode(true);
  phases_ = new PhasesView(document, this);
  derivation_ = new DerivationView(document, this);
  generations_ = new GenerationsView(document, this);
  configurations_ = new ConfigurationsView(document, *knobs_, this);
  plan_ = new PlanView(document, *knobs_, *course_, this);
  polish_ = new PolishView(document, this);
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    pages_->setTabToolTip(pages_->addTab(page, title), tip);
  };
  add(phases_, tr("Phases"), tr("Where the present round is, phase by phase."));
  add(derivation_, tr("Sketches"), tr("How rules derive the task's sketches, stage by stage."));
  add(generations_, tr("Generations"), tr("How programs were bred from programs."));
  add(configurations_, tr("Decisions"), {}); // named by choosePages()
  add(polish_, tr("Polish"),
      tr("What a polish measured around the task's programs: which decision matters, and by how "
         "much."));
  add(plan_, tr("Plan"), tr("What a plan picked and why, and the annealing that found it."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(pages_, 1);
  layout->addWidget(offer_ = new PolicyOffer(document, this));

  connect(&document, &Document::stateChanged, this, &InspectorView::choosePages);
  connect(&document.follower(), &SessionFollower::settingsChanged, this,
          &InspectorView::choosePages);
  connect(pages_, &QTabWidget::currentChanged, this, &InspectorView::tellWanted);
  choosePages();
}

/// Those of the space that is searched; all sessions have phases.
void InspectorView::choosePages() {
  const bool templates = isOnTemplates(document_);
  for (QWidget* page : std::initializer_list<QWidget*>{derivation_, generations_, polish_})
    pages_->setTabVisible(pages_->indexOf(page), !templates);
  pages_->setTabVisible(pages_->indexOf(plan_), templates);
  const int lines = pages_->indexOf(configurations_);
  pages_->setTabText(lines, templates ? tr("Configurations") : tr("Decisions"));
  pages_->setTabToolTip(
      lines, templates
                 ? tr("All measured configurations of the task's template, knob beside knob.")
                 : tr("All measured programs of the task, decision beside decision, and which "
                      "decisions matter."));
  tellWanted();
}

/// Nothing is read for pages that nobody sees.
void InspectorView::tellWanted() {
  const QWidget* page = pages_->currentWidget();
  offer_->setWanted(page == generations_ || page == plan_); // which need a cost model
  knobs_->setWanted(isVisible() && (page == configurations_ || page == plan_));
  course_->setWanted(isVisible() && isOnTemplates(document_) && page == plan_);
}

void InspectorView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  tellWanted();
}

void InspectorView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  tellWanted();
}

Exports InspectorView::exports() {
  return exportsOf(pages_->currentWidget(), QStringLiteral("inspector"),
                   pages_->tabText(pages_->currentIndex()));
}

} // namespace nestwright::ui

#include "moc_inspector_view.cpp"
