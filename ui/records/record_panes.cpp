#include "ui/records/record_panes.h"

#include "ui/kit/form_parts.h"
#include "ui/kit/theme.h"

#include <nlohmann/json.hpp>

#include <QTabWidget>
#include <QToolButton>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kRoomyWidth = 760; // table and side bar beside one another
constexpr int kBarCharacters = 44;

/// What the user said; the two panes of former days are one side bar.
std::optional<bool> askedIn(const nlohmann::json& state) {
  std::optional<bool> asked;
  for (const char* key : {"side_bar", "statistics", "facets"})
    if (const auto found = state.find(key); found != state.end() && found->is_boolean())
      asked = asked.value_or(false) || found->get<bool>();
  return asked;
}

} // namespace

RecordPanes::RecordPanes(QWidget* pages, QWidget* figures, QWidget* facets, QWidget* record,
                         QWidget* parent)
    : QSplitter(Qt::Horizontal, parent), figures_(figures), facets_(facets), record_(record),
      bar_(new QTabWidget(parent)),
      button_(flatToggle(parent, tr("Side Bar"),
                         tr("Figures of the records that are listed or selected, and facets: "
                            "operators, networks, targets, sessions, errors and tags with how many "
                            "records have each; a click lists only those."))) {
  bar_->setDocumentMode(true);
  bar_->setAccessibleName(tr("Side bar of the records"));
  bar_->addTab(figures_, tr("Statistics"));
  bar_->addTab(facets_, tr("Facets"));
  bar_->addTab(record_, tr("Record"));
  bar_->setMinimumWidth(180);
  setHandleWidth(1);
  addWidget(pages);
  addWidget(bar_);
  setStretchFactor(0, 1);
  setCollapsible(0, false);
  connect(this, &QSplitter::splitterMoved, this, [this] { setByUser_ = true; });
  connect(button_, &QToolButton::clicked, this, [this](bool on) {
    asked_ = on;
    showBar();
  });
  showBar();
}

void RecordPanes::setSelected(std::int64_t rows, bool record) {
  hasSeveral_ = rows > 1;
  hasRecord_ = record;
  showBar();
  if (bar_->currentWidget() != facets_) // who chooses by facets goes on with that
    bar_->setCurrentWidget(hasRecord_ && !hasSeveral_ ? record_ : figures_);
}

void RecordPanes::showBar() {
  // A record that is selected, and the figures of several, are always told, wanted or not.
  const bool summary = button_->isChecked() || hasSeveral_;
  bar_->setVisible(summary || hasRecord_);
  bar_->setTabVisible(bar_->indexOf(figures_), summary);
  bar_->setTabVisible(bar_->indexOf(facets_), summary);
  bar_->setTabVisible(bar_->indexOf(record_), hasRecord_);
  fitBar();
}

/// As wide as its text needs, as long as the table keeps the larger part.
void RecordPanes::fitBar() {
  if (setByUser_ || bar_->isHidden() || width() == 0) return;
  const int wanted = std::min(fontMetrics().averageCharWidth() * kBarCharacters, width() * 2 / 5);
  setSizes({width() - wanted, wanted});
}

bool RecordPanes::hasRoom() const {
  return room_ >= kRoomyWidth * Theme::instance().zoom();
}

void RecordPanes::setRoom(int width) {
  room_ = width;
  if (const bool on = asked_.value_or(hasRoom()); on != button_->isChecked()) {
    button_->setChecked(on);
    showBar();
  }
  fitBar();
}

nlohmann::json RecordPanes::viewState() const {
  nlohmann::json state = nlohmann::json::object();
  if (asked_) state["side_bar"] = *asked_;
  return state;
}

void RecordPanes::restoreViewState(const nlohmann::json& state) {
  asked_ = askedIn(state);
  button_->setChecked(asked_.value_or(hasRoom()));
  showBar();
}

} // namespace nestwright::ui

#include "moc_record_panes.cpp"
