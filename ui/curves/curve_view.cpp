#include "ui/curves/curve_view.h"

#include "core/record/rows/session_row.h"
#include "ui/curves/curve_export.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/task_curves.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/program_drag.h"
#include "ui/document/reading/reader.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {

CurveView::CurveView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), plot_(new CurvePlot(document, this)),
      each_(new TaskCurves(document)), charts_(new QStackedWidget(this)), note_(new QLabel(this)),
      x_(new QComboBox(this)), y_(new QComboBox(this)) {
  y_->addItems({tr("Latency"), tr("Throughput"), tr("Speed-up"), tr("Share of peak")});
  y_->setToolTip(tr("What the curves show. Latency: lower is better; throughput and speed-up over "
                    "the naive program: higher is better. Share of peak: of the rate that the "
                    "machine's cores could reach at most, a generous bound."));
  y_->setAccessibleName(tr("Vertical axis"));
  x_->addItems({tr("over trials"), tr("over time")});
  x_->setToolTip(tr("Trials of the whole session, or tuning time without pauses."));
  x_->setAccessibleName(tr("Horizontal axis"));
  progress_ =
      flatToggle(this, tr("Progress"),
                 tr("The range in which the total, or the selected task, has improved since "
                    "its warm-up. Off: everything, from the naive programs on."));
  log_ = flatToggle(this, tr("Log"), tr("Logarithmic axis: equal distances are equal ratios."));
  tasks_ = flatToggle(this, tr("Tasks"), tr("The best-so-far line of every task."));
  trials_ = flatToggle(this, tr("Trials"),
                       tr("Every trial of the selected task as a dot; errors as crosses "
                          "along the bottom."));
  showEach_ = flatToggle(this, tr("Each Task"),
                         tr("A small chart for each task, the largest share of time first."));
  all_ = new QToolButton(this);
  all_->setText(tr("Show All"));
  all_->setToolTip(tr("Back to the whole session, following new trials (double-click)."));
  all_->setAutoRaise(true);

  references_ =
      flatToggle(this, tr("References"),
                 tr("Lines to compare with: the naive program, the latency that objective "
                    "f2 requires, and a value of your own (in the menu of Compare)."));
  auto* compare = buildCompare();
  auto* controls = new FlowLayout(nullptr, 4);
  controls->setContentsMargins(8, 4, 8, 4);
  controls->addWidget(y_);
  controls->addWidget(x_);
  for (QWidget* widget : {progress_, log_, tasks_, trials_, references_})
    controls->addWidget(widget);
  controls->addWidget(showEach_);
  controls->addWidget(compare);
  controls->addWidget(all_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(controls);
  layout->addWidget(note_);
  layout->addWidget(charts_, 1);
  buildCharts();

  setOptions(plot_->options());
  const auto offerAll = [this] {
    enableUnless(all_, plot_->isZoomed() ? QString() : tr("Everything is shown."));
  };
  offerAll();
  connect(x_, &QComboBox::activated, this, &CurveView::readControls);
  connect(y_, &QComboBox::activated, this, &CurveView::readControls);
  for (QToolButton* button : {progress_, log_, tasks_, trials_, references_})
    connect(button, &QToolButton::clicked, this, &CurveView::readControls);
  connect(all_, &QToolButton::clicked, plot_, &CurvePlot::showAll);
  note_->setTextFormat(Qt::PlainText);
  note_->setWordWrap(true);
  note_->setContentsMargins(10, 0, 8, 4);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->hide();
  const auto restyle = [this] { note_->setFont(smallFont()); };
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  restyle();
  connect(plot_, &CurvePlot::listedTextChanged, this, [this] {
    note_->setText(plot_->listedText());
    note_->setVisible(!plot_->listedText().isEmpty());
  });
  connect(plot_, &CurvePlot::dragged, this, [this] {
    const Selection& selected = document_.selection().current();
    dragPrograms(plot_, {{document_.file().path(), selected.task, selected.record, false, {}}});
  });
  // What was compared with belonged to that document.
  connect(&document, &Document::leaving, this, [this] { compared_.clear(); });
  connect(&document, &Document::stateChanged, this, [this] {
    if (document_.state() == DocumentState::Ready) readCompared();
  });
  connect(plot_, &CurvePlot::zoomChanged, this, offerAll);
}

void CurveView::buildCharts() {
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(each_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  charts_->addWidget(plot_);
  charts_->addWidget(scroll);
  connect(showEach_, &QToolButton::toggled, this,
          [this](bool on) { charts_->setCurrentIndex(on ? 1 : 0); });
}

QToolButton* CurveView::buildCompare() {
  auto* compare = new QToolButton(this);
  compare->setObjectName(QStringLiteral("compare"));
  compare->setText(tr("Compare"));
  compare->setToolTip(tr("Lay other sessions of the document, or a latency of your own, over the "
                         "curves."));
  compare->setAutoRaise(true);
  compare->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(compare);
  compare->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillCompare(menu); });
  return compare;
}

void CurveView::fillCompare(QMenu* menu) {
  menu->clear();
  for (const SessionRow& session : document_.session().contents().sessions) {
    if (session.id == document_.session().row().id) continue;
    QAction* action = menu->addAction(tr("Session %1: %2, %3")
                                          .arg(session.id)
                                          .arg(qs(session.title), momentText(session.createdAt)));
    action->setCheckable(true);
    action->setChecked(std::count(compared_.begin(), compared_.end(), session.id) > 0);
    connect(action, &QAction::toggled, this, [this, id = session.id](bool on) {
      std::erase(compared_, id);
      if (on) compared_.push_back(id);
      readCompared();
    });
  }
  if (menu->isEmpty()) menu->addAction(tr("No other session in this document"))->setEnabled(false);
  menu->addSeparator();
  menu->addAction(tr("&Your Value …"), this, &CurveView::askValue);
  QAction* none = menu->addAction(tr("&No Value"), this, [this] {
    plot_->overlays().setUserValue(0);
    plot_->schedule();
  });
  enableUnless(none, plot_->overlays().userValue() > 0 ? QString() : tr("No value was given."));
}

void CurveView::askValue() {
  bool ok = false;
  const double now = plot_->overlays().userValue();
  const double value = QInputDialog::getDouble(this, tr("Your Value"),
                                               tr("Latency of the whole to compare with, in ms:"),
                                               now > 0 ? now * 1e3 : 10, 1e-6, 1e9, 3, &ok);
  if (!ok) return;
  plot_->overlays().setUserValue(value / 1e3);
  references_->setChecked(true);
  readControls();
}

/// Reads the curves of the sessions to compare with, beside everything else.
void CurveView::readCompared() {
  if (compared_.empty()) {
    document_.reader().cancel(Reader::Channel::Compare);
    plot_->overlays().setSessions({});
    plot_->schedule();
    return;
  }
  document_.reader().ask<std::vector<OtherSession>>(
      this, Reader::Channel::Compare,
      [ids = compared_, inView = document_.session().row().id](const RecordStore& store) {
        std::vector<OtherSession> others;
        for (const RowId id : ids)
          others.push_back(readOtherSession(store, id, inView));
        return others;
      },
      [this](std::vector<OtherSession> others) {
        plot_->overlays().setSessions(std::move(others));
        plot_->schedule();
      });
}

Exports CurveView::exports() {
  Exports exports;
  exports.name = QStringLiteral("tuning-curves");
  exports.title = tr("Tuning curves of %1").arg(qs(document_.session().contents().network));
  Chart& shown = showEach_->isChecked() ? static_cast<Chart&>(*each_) : *plot_;
  shown.exportPicture(exports);
  exports.table = curveTable(document_.session().history(), document_.session().tasks());
  return exports;
}

nlohmann::json CurveView::viewState() const {
  nlohmann::json state = toJson(plot_->options());
  state["compared"] = compared_;
  state["each"] = showEach_->isChecked();
  state["value"] = plot_->overlays().userValue();
  return state;
}

void CurveView::restoreViewState(const nlohmann::json& state) {
  compared_ = storedValues<RowId>(state, "compared");
  plot_->overlays().setUserValue(storedValue(state, "value", 0.0));
  readCompared();
  showEach_->setChecked(storedValue(state, "each", false));
  setOptions(state.empty() ? Settings::curves() : curveOptionsFromJson(state));
}

void CurveView::setOptions(const CurveOptions& options) {
  x_->setCurrentIndex(static_cast<int>(options.x));
  y_->setCurrentIndex(static_cast<int>(options.y));
  progress_->setChecked(options.onlyProgress);
  log_->setChecked(options.logarithmic);
  tasks_->setChecked(options.showTasks);
  trials_->setChecked(options.showTrials);
  references_->setChecked(options.showReferences);
  plot_->setOptions(options);
  each_->setOptions(options);
}

void CurveView::readControls() {
  CurveOptions options;
  options.x = static_cast<XAxis>(x_->currentIndex());
  options.y = static_cast<YAxis>(y_->currentIndex());
  options.onlyProgress = progress_->isChecked();
  options.logarithmic = log_->isChecked();
  options.showTasks = tasks_->isChecked();
  options.showTrials = trials_->isChecked();
  options.showReferences = references_->isChecked();
  plot_->setOptions(options);
  each_->setOptions(options);
  Settings::setCurves(options);
}

} // namespace nestwright::ui

#include "moc_curve_view.cpp"
