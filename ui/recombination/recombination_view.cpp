#include "ui/recombination/recombination_view.h"

#include "ui/crossing/crossing_control.h"
#include "ui/crossing/crossing_page.h"
#include "ui/crossing/crossing_strip.h"
#include "ui/document/document.h"
#include "ui/document/notices.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"
#include "ui/recombination/recombination_export.h"
#include "ui/recombination/recombination_page.h"
#include "ui/recombination/recombination_plot.h"

#include <nlohmann/json.hpp>

#include <QSpinBox>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {

RecombinationView::RecombinationView(Document& document, QWidget* parent,
                                     RecombinationFactory factory, RecombinationMaker maker)
    : QWidget(parent), document_(document),
      control_(new RecombinationControl(document, std::move(factory), std::move(maker), this)),
      page_(new RecombinationPage(document, *control_, this)),
      crossing_(new CrossingControl(document, this)),
      crossingPage_(new CrossingPage(document, *crossing_, this)), tabs_(new QTabWidget(this)) {
  setAccessibleName(tr("Recombination"));
  tabs_->setDocumentMode(true);
  tabs_->addTab(page_, tr("Whole Network"));
  tabs_->setTabToolTip(0, tr("Combine the fastest programs of all tasks at random and measure the "
                             "network end to end."));
  tabs_->addTab(crossingPage_, tr("Crossing Lab"));
  tabs_->setTabToolTip(1, tr("Cross the fastest programs of one task with one another and measure "
                             "the promising ones."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(tabs_);
  connect(control_, &RecombinationControl::failed, &document.notices(), &Notices::warn);
  connect(control_, &RecombinationControl::changed, this,
          [this] { crossing_->setMachineTaken(control_->recombination().isRunning()); });
  connect(crossing_, &CrossingControl::failed, &document.notices(), &Notices::warn);
  connect(&document.selection(), &SharedSelection::crossingWanted, this,
          [this](RowId task, const std::vector<RowId>& records) {
            crossing_->take(task, records, crossingPage_->top()->value());
            tabs_->setCurrentIndex(Crossing);
          });
}

Exports RecombinationView::exports() {
  if (tabs_->currentIndex() == Crossing) return exportsOfCrossing();
  Exports exports;
  exports.name = QStringLiteral("recombination");
  exports.title = tr("Recombination of %1").arg(qs(document_.session().contents().network));
  page_->plot()->exportPicture(exports);
  if (!control_->recombination().samples.empty()) exports.table = sampleTable(*control_);
  exports.text = page_->headline();
  return exports;
}

Exports RecombinationView::exportsOfCrossing() const {
  Exports exports = seenOf(crossingPage_);
  exports.name = QStringLiteral("crosses");
  exports.title = tr("Crosses of %1").arg(qs(document_.session().contents().network));
  exports.table.reset();
  if (!crossing_->children().empty()) exports.table = tableOf(crossingPage_->table());
  exports.text = crossingPage_->headline();
  return exports;
}

nlohmann::json RecombinationView::viewState() const {
  return {{"tab", tabs_->currentIndex()},
          {"k", page_->candidates()->value()},
          {"samples", page_->samples()->value()},
          {"seed", page_->seed()->value()},
          {"parents", crossingPage_->top()->value()},
          {"crosses", crossingPage_->count()->value()},
          {"crossing_seed", crossingPage_->seed()->value()}};
}

void RecombinationView::restoreViewState(const nlohmann::json& state) {
  const RecombinationConfig standard;
  tabs_->setCurrentIndex(storedValue(state, "tab", 0));
  page_->candidates()->setValue(storedValue(state, "k", standard.k));
  page_->samples()->setValue(storedValue(state, "samples", standard.samples));
  page_->seed()->setValue(storedValue(state, "seed", static_cast<int>(standard.seed)));
  crossingPage_->top()->setValue(storedValue(state, "parents", 10));
  crossingPage_->count()->setValue(storedValue(state, "crosses", 200));
  crossingPage_->seed()->setValue(storedValue(state, "crossing_seed", 1));
}

/// The buttons of both pages, by their names.
std::vector<PaletteItem> RecombinationView::paletteItems(const QString&) {
  const auto press = [](QToolButton* button, const QString& title) {
    return PaletteItem{title, tr("Command"), QString(), [button] { button->click(); },
                       button->isEnabled() && !button->isHidden()};
  };
  const bool runs = control_->recombination().isRunning();
  return {press(page_->startButton(), tr("Recombine the Network")),
          press(page_->goOnButton(),
                runs ? tr("Pause the Recombination") : tr("Go On With the Recombination")),
          press(page_->stopButton(), tr("Stop the Recombination")),
          press(page_->keepButton(), page_->keepButton()->isChecked()
                                         ? tr("Go Back to the Bests for the Network")
                                         : tr("Keep the Combination as the Network's Choice")),
          press(crossingPage_->takeButton(), tr("Take the Fastest Programs as Parents to Cross")),
          press(crossingPage_->crossButton(), tr("Cross the Parents")),
          press(crossingPage_->measureButton(), tr("Measure the Selected Crosses"))};
}

} // namespace nestwright::ui

#include "moc_recombination_view.cpp"
