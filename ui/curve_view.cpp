#include "ui/curve_view.h"

#include "ui/curve_plot.h"
#include "ui/settings.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {

CurveView::CurveView(Document& document, QWidget* parent)
    : QWidget(parent), plot_(new CurvePlot(document, this)), x_(new QComboBox(this)),
      y_(new QComboBox(this)) {
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

  auto* save = new QToolButton(this);
  save->setText(tr("Export …"));
  save->setToolTip(tr("Save the curves as they are seen: SVG, PDF or PNG."));
  save->setAutoRaise(true);
  connect(save, &QToolButton::clicked, this, &CurveView::askExport);

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
  controls->addWidget(save);
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

void CurveView::askExport() {
  QString file = QFileDialog::getSaveFileName(
      this, tr("Export Curves"), Settings::folder() + QStringLiteral("/curves.svg"),
      tr("Vector graphics (*.svg);;PDF (*.pdf);;Picture (*.png)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".svg");
  if (!plot_->exportTo(file))
    QMessageBox::warning(this, tr("Export Curves"), tr("%1 cannot be written.").arg(file));
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
  all_->setEnabled(false);
}

} // namespace nestwright::ui
