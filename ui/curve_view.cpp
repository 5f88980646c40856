#include "ui/curve_view.h"

#include "ui/curve_export.h"
#include "ui/curve_plot.h"
#include "ui/document.h"
#include "ui/settings.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {

CurveView::CurveView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), plot_(new CurvePlot(document, this)),
      x_(new QComboBox(this)), y_(new QComboBox(this)) {
  y_->addItems({tr("Latency"), tr("Throughput"), tr("Speed-up")});
  y_->setToolTip(tr("What the curves show. Latency: lower is better; throughput and speed-up over "
                    "the naive program: higher is better."));
  y_->setAccessibleName(tr("Vertical axis"));
  x_->addItems({tr("over trials"), tr("over time")});
  x_->setToolTip(tr("Trials of the whole session, or tuning time without pauses."));
  x_->setAccessibleName(tr("Horizontal axis"));
  log_ = toggle(tr("Log"), tr("Logarithmic axis: equal distances are equal ratios."));
  tasks_ = toggle(tr("Tasks"), tr("The best-so-far line of every task."));
  trials_ = toggle(tr("Trials"), tr("Every trial of the selected task as a dot; errors as crosses "
                                    "along the bottom."));
  all_ = new QToolButton(this);
  all_->setText(tr("Show All"));
  all_->setToolTip(tr("Back to the whole session, following new trials (double-click)."));
  all_->setAutoRaise(true);

  auto* controls = new QHBoxLayout;
  controls->setContentsMargins(8, 4, 8, 4);
  controls->setSpacing(4);
  controls->addWidget(y_);
  controls->addWidget(x_);
  controls->addSpacing(8);
  for (QWidget* widget : {log_, tasks_, trials_})
    controls->addWidget(widget);
  controls->addStretch();
  controls->addWidget(all_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(controls);
  layout->addWidget(plot_, 1);

  setOptions(plot_->options());
  all_->setEnabled(false);
  connect(x_, &QComboBox::activated, this, &CurveView::readControls);
  connect(y_, &QComboBox::activated, this, &CurveView::readControls);
  for (QToolButton* button : {log_, tasks_, trials_})
    connect(button, &QToolButton::clicked, this, &CurveView::readControls);
  connect(all_, &QToolButton::clicked, plot_, &CurvePlot::showAll);
  connect(plot_, &CurvePlot::zoomChanged, this, [this] { all_->setEnabled(plot_->isZoomed()); });
}

QToolButton* CurveView::toggle(const QString& text, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleDescription(tip);
  button->setCheckable(true);
  button->setAutoRaise(true);
  return button;
}

Exports CurveView::exports() {
  Exports exports;
  exports.name = QStringLiteral("tuning-curves");
  exports.title = tr("Tuning curves of %1").arg(document_.networkName());
  exports.size = plot_->isVisible() ? plot_->size() : QSize(900, 540);
  exports.draw = [this, size = exports.size](QPainter& painter) { plot_->draw(painter, size); };
  exports.table = curveTable(document_.history(), document_.tasks());
  return exports;
}

nlohmann::json CurveView::viewState() const {
  return toJson(plot_->options());
}

void CurveView::restoreViewState(const nlohmann::json& state) {
  setOptions(state.empty() ? Settings::curves() : curveOptionsFromJson(state));
}

void CurveView::setOptions(const CurveOptions& options) {
  x_->setCurrentIndex(static_cast<int>(options.x));
  y_->setCurrentIndex(static_cast<int>(options.y));
  log_->setChecked(options.logarithmic);
  tasks_->setChecked(options.showTasks);
  trials_->setChecked(options.showTrials);
  plot_->setOptions(options);
}

void CurveView::readControls() {
  CurveOptions options;
  options.x = static_cast<XAxis>(x_->currentIndex());
  options.y = static_cast<YAxis>(y_->currentIndex());
  options.logarithmic = log_->isChecked();
  options.showTasks = tasks_->isChecked();
  options.showTrials = trials_->isChecked();
  plot_->setOptions(options);
  Settings::setCurves(options);
  all_->setEnabled(false);
}

} // namespace nestwright::ui
