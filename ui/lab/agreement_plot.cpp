#include "ui/lab/agreement_plot.h"

#include "ui/charts/axis_tip.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::ui {
namespace {

constexpr double kPointReach = 14; // pixels
/// More points hide one another: they are drawn fainter.
constexpr int kMany = 300;

} // namespace

AgreementPlot::AgreementPlot(QWidget* parent)
    : ZoomableChart(parent, tr("Two models against each other, task by task"),
                    tr("Left and right go through the tasks by how far the models differ. Show as "
                       "Table gives the numbers."),
                    QSize(220, 170)),
      points_(addGraph()), ring_(addGraph()), diagonal_(new QCPItemLine(this)),
      above_(new QCPItemText(this)), below_(new QCPItemText(this)) {
  setUpPlot(*this);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  for (QCPGraph* graph : {points_, ring_})
    graph->setLineStyle(QCPGraph::lsNone);
  diagonal_->start->setCoords(-1, -1);
  diagonal_->end->setCoords(2, 2);
  for (QCPItemText* label : {above_, below_}) {
    label->position->setType(QCPItemPosition::ptAxisRectRatio);
    label->setPadding(QMargins(6, 4, 6, 4));
  }
  above_->position->setCoords(0, 0);
  above_->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  below_->position->setCoords(1, 1);
  below_->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
  restyle();
}

void AgreementPlot::restyle() {
  Chart::restyle();
  const Colours& c = colours();
  const double side = 7 * Theme::instance().zoom();
  const bool many = taskCount() > kMany;
  points_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(faded(c.series[0], many ? 110 : 255), 1.2),
                      QBrush(faded(c.series[0], many ? 30 : 130)), many ? 0.7 * side : side));
  ring_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.accent, 3), Qt::NoBrush, side * 2));
  diagonal_->setPen(QPen(c.dim, 1, Qt::DashLine));
  for (QCPItemText* label : {above_, below_})
    styleText(*label);
  refresh();
}

void AgreementPlot::show(Judged judged, std::size_t a, std::size_t b, std::size_t k, int task) {
  if (judged != judged_ || a != a_ || b != b_) endZoom();
  judged_ = std::move(judged);
  a_ = a, b_ = b, k_ = k, task_ = task;
  readout_->hide();
  restyle();
}

void AgreementPlot::showMessage(const QString& message) {
  judged_.reset();
  message_->setText(message);
  refresh();
}

int AgreementPlot::taskCount() const {
  return judged_ ? int(judged_->evaluation.tasks.size()) : 0;
}

double AgreementPlot::score(std::size_t model, int task) const {
  return topScore(judged_->evaluation, model, std::size_t(task), k_);
}

void AgreementPlot::refresh() {
  const bool some = taskCount() > 0;
  showMessageInstead(!some);
  diagonal_->setVisible(some);
  above_->setVisible(some);
  below_->setVisible(some);
  QVector<double> x, y;
  for (int task = 0; task < taskCount(); ++task) {
    x.append(score(a_, task));
    y.append(score(b_, task));
  }
  points_->setData(x, y);
  ring_->data()->clear();
  if (task_ >= 0 && task_ < x.size()) ring_->addData(x[task_], y[task_]);
  if (some) {
    const ModelEvaluation& evaluation = judged_->evaluation;
    const QString first = modelTitle(evaluation.models[a_].name),
                  second = modelTitle(evaluation.models[b_].name);
    const auto tip = [&](const QString& model) {
      return tr("What a search gets that measures %1's %2 favourites of a task: the task's best "
                "time by theirs. 1 is the best itself. Higher is better.")
          .arg(model)
          .arg(evaluation.ks[k_]);
    };
    explainAxis(*xAxis, tr("top-%1 of %2").arg(evaluation.ks[k_]).arg(first), tip(first));
    explainAxis(*yAxis, tr("top-%1 of %2").arg(evaluation.ks[k_]).arg(second), tip(second));
    above_->setText(tr("%1 is better").arg(second));
    below_->setText(tr("%1 is better").arg(first));
    if (!zoomed_)
      for (QCPAxis* axis : {xAxis, yAxis})
        axis->setRange(-0.03, 1.03);
  }
  replot(QCustomPlot::rpQueuedReplot);
}

std::optional<QPointF> AgreementPlot::pixelOf(int task) const {
  if (task < 0 || task >= taskCount()) return std::nullopt;
  return QPointF(xAxis->coordToPixel(score(a_, task)), yAxis->coordToPixel(score(b_, task)));
}

std::optional<int> AgreementPlot::pointAt(const QPointF& pixel) const {
  return nearestPoint(std::size_t(taskCount()), kPointReach, [&](std::size_t task) {
    const QPointF off = *pixelOf(int(task)) - pixel;
    return std::hypot(off.x(), off.y());
  });
}

QString AgreementPlot::describe(int task) const {
  const ModelEvaluation& evaluation = judged_->evaluation;
  const TaskFigures& figures = evaluation.models[a_].tasks[std::size_t(task)];
  QString text = taskTitle(judged_->data.tasks[evaluation.tasks[std::size_t(task)]].name) +
                 tr("\n%1 programs, %2 failed, best %3")
                     .arg(countText(qint64(figures.programs)), countText(qint64(figures.failed)),
                          timeText(figures.bestSeconds));
  for (const std::size_t model : {a_, b_})
    text += QStringLiteral("\n") + tr("%1: top-%2 %3")
                                       .arg(modelTitle(evaluation.models[model].name))
                                       .arg(evaluation.ks[k_])
                                       .arg(figureText(score(model, task)));
  return text;
}

void AgreementPlot::choose(int task) {
  Q_EMIT picked(task);
}

bool AgreementPlot::walk(int step) {
  if (taskCount() == 0) return false;
  std::vector<int> order(std::size_t(taskCount()), 0);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](int task) { return std::abs(score(a_, task) - score(b_, task)); });
  Q_EMIT picked(neighbour(order, task_, step, WalkFrom::First));
  return true;
}

ExportTable AgreementPlot::table() const {
  std::vector<QStringList> rows;
  QStringList headers{tr("task")};
  if (judged_)
    for (const std::size_t model : {a_, b_})
      headers << tr("top-%1 of %2")
                     .arg(judged_->evaluation.ks[k_])
                     .arg(modelTitle(judged_->evaluation.models[model].name));
  for (int task = 0; task < taskCount(); ++task)
    rows.push_back({qs(judged_->data.tasks[judged_->evaluation.tasks[std::size_t(task)]].name),
                    QString::number(score(a_, task), 'g', 6),
                    QString::number(score(b_, task), 'g', 6)});
  return tableOfRows(headers, std::move(rows));
}

} // namespace nestwright::ui

#include "moc_agreement_plot.cpp"
