#include "ui/records/record_panes.h"

#include "ui/kit/theme.h"

#include <nlohmann/json.hpp>

#include <QTabWidget>
#include <QToolButton>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kRoomyWidth = 760; // table and figures side by side
constexpr int kWideWidth = 1000; // and facets
constexpr int kPaneCharacters = 44;

QToolButton* toggle(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setCheckable(true);
  button->setAutoRaise(true);
  button->setToolTip(tip);
  return button;
}

std::optional<bool> flag(const nlohmann::json& state, const char* key) {
  const auto found = state.find(key);
  if (found == state.end()) return std::nullopt;
  return !found->is_boolean() || found->get<bool>();
}

} // namespace

RecordPanes::RecordPanes(QWidget* facets, QWidget* pages, QWidget* figures, QWidget* details,
                         QWidget* parent)
    : QSplitter(Qt::Horizontal, parent), facets_(facets), figures_(figures), details_(details),
      pane_(new QTabWidget(parent)),
      facetsButton_(toggle(parent, tr("Facets"),
                           tr("Operators, networks, targets, sessions, errors and tags with how "
                              "many records have each; a click lists only those."))),
      figuresButton_(toggle(parent, tr("Statistics"),
                            tr("Histogram and figures of the records that are listed or "
                               "selected."))) {
  pane_->setDocumentMode(true);
  pane_->addTab(figures_, tr("Statistics"));
  pane_->addTab(details_, tr("Record"));
  pane_->setMinimumWidth(140);
  facets_->setMinimumWidth(180);
  facets_->hide();
  setHandleWidth(1);
  addWidget(facets_);
  addWidget(pages);
  addWidget(pane_);
  setStretchFactor(1, 1);
  setCollapsible(1, false);
  connect(this, &QSplitter::splitterMoved, this, [this] { setByUser_ = true; });
  connect(figuresButton_, &QToolButton::clicked, this, [this](bool on) {
    figuresAsked_ = on;
    showPane();
  });
  connect(facetsButton_, &QToolButton::clicked, this, [this](bool on) {
    facetsAsked_ = on;
    facets_->setVisible(on);
  });
  showPane();
}

void RecordPanes::setSelected(std::int64_t rows, bool record) {
  hasSeveral_ = rows > 1;
  hasRecord_ = record;
  showPane();
}

void RecordPanes::showPane() {
  // Of several records the figures are always told, wanted or not.
  const bool figures = figuresButton_->isChecked() || hasSeveral_;
  pane_->setVisible(figures || hasRecord_);
  pane_->setTabVisible(0, figures);
  pane_->setTabVisible(1, hasRecord_);
  pane_->setCurrentWidget(hasRecord_ && !hasSeveral_ ? details_ : figures_);
  fitPane();
}

/// As wide as its text needs, as long as the table keeps the larger part.
void RecordPanes::fitPane() {
  QList<int> sizes = this->sizes();
  if (setByUser_ || pane_->isHidden() || width() == 0) return;
  // Facets that have just been asked for have no size yet, and none would hide them.
  if (facets_->isHidden())
    sizes[0] = 0;
  else if (sizes[0] == 0)
    sizes[0] = facets_->sizeHint().width();
  const int room = std::max(0, width() - sizes[0]);
  sizes[2] = std::min(fontMetrics().averageCharWidth() * kPaneCharacters, room * 2 / 5);
  sizes[1] = room - sizes[2];
  setSizes(sizes);
}

bool RecordPanes::hasRoom(int wanted) const {
  return room_ >= wanted * Theme::instance().zoom();
}

void RecordPanes::showFacets() {
  facetsButton_->setChecked(facetsAsked_.value_or(hasRoom(kWideWidth)));
  facets_->setVisible(facetsButton_->isChecked());
}

void RecordPanes::setRoom(int width) {
  room_ = width;
  showFacets();
  const bool on = figuresAsked_.value_or(hasRoom(kRoomyWidth));
  if (on != figuresButton_->isChecked()) {
    figuresButton_->setChecked(on);
    showPane();
  }
  fitPane();
}

nlohmann::json RecordPanes::viewState() const {
  nlohmann::json state = nlohmann::json::object();
  if (facetsAsked_) state["facets"] = *facetsAsked_;
  if (figuresAsked_) state["statistics"] = *figuresAsked_;
  return state;
}

void RecordPanes::restoreViewState(const nlohmann::json& state) {
  facetsAsked_ = flag(state, "facets");
  figuresAsked_ = flag(state, "statistics");
  showFacets();
  figuresButton_->setChecked(figuresAsked_.value_or(hasRoom(kRoomyWidth)));
  showPane();
}

} // namespace nestwright::ui

#include "moc_record_panes.cpp"
