#include "ui/lab/agreement_plot.h"

#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
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

void AgreementPlot::show(const JudgedLook& look) {
  if (look.judged != look_.judged || look.a != look_.a || look.b != look_.b) endZoom();
  look_ = look;
  readout_->hide();
  restyle();
}

int AgreementPlot::taskCount() const {
  return look_.judged ? int(look_.judged->evaluation.tasks.size()) : 0;
}

double AgreementPlot::score(std::size_t model, int task) const {
  return topScore(look_.judged->evaluation, model, std::size_t(task), look_.k);
}

void AgreementPlot::refresh() {
  const bool some = taskCount() > 0;
  showMessageInstead(!some);
  diagonal_->setVisible(some);
  above_->setVisible(some);
  below_->setVisible(some);
  QVector<double> x, y;
  for (int task = 0; task < taskCount(); ++task) {
    x.append(score(look_.a, task));
    y.append(score(look_.b, task));
  }
  points_->setData(x, y);
  ring_->data()->clear();
  if (look_.task >= 0 && look_.task < x.size()) ring_->addData(x[look_.task], y[look_.task]);
  if (some) {
    const ModelEvaluation& evaluation = look_.judged->evaluation;
    const QString first = modelTitle(evaluation.models[look_.a].name),
                  second = modelTitle(evaluation.models[look_.b].name);
    const auto tip = [&](const QString& model) {
      return tr("What a search gets that measures %1's %2 favourites of a task: the task's best "
                "time by theirs. 1 is the best itself. Higher is better.")
          .arg(model)
          .arg(evaluation.ks[look_.k]);
    };
    explainAxis(*xAxis, tr("top-%1 of %2").arg(evaluation.ks[look_.k]).arg(first), tip(first));
    explainAxis(*yAxis, tr("top-%1 of %2").arg(evaluation.ks[look_.k]).arg(second), tip(second));
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
  return QPointF(xAxis->coordToPixel(score(look_.a, task)),
                 yAxis->coordToPixel(score(look_.b, task)));
}

std::optional<int> AgreementPlot::pointAt(const QPointF& pixel) const {
  return nearestPoint(std::size_t(taskCount()), kPointReach, [&](std::size_t task) {
    const QPointF off = *pixelOf(int(task)) - pixel;
    return std::hypot(off.x(), off.y());
  });
}

QString AgreementPlot::describe(int task) const {
  const ModelEvaluation& evaluation = look_.judged->evaluation;
  const TaskFigures& figures = evaluation.models[look_.a].tasks[std::size_t(task)];
  QString text = taskTitle(look_.judged->data.tasks[evaluation.tasks[std::size_t(task)]].name) +
                 tr("\n%1 programs, %2 failed, best %3")
                     .arg(countText(qint64(figures.programs)), countText(qint64(figures.failed)),
                          timeText(figures.bestSeconds));
  for (const std::size_t model : {look_.a, look_.b})
    text += QStringLiteral("\n") + tr("%1: top-%2 %3")
                                       .arg(modelTitle(evaluation.models[model].name))
                                       .arg(evaluation.ks[look_.k])
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
  std::ranges::stable_sort(order, std::ranges::greater(), [&](int task) {
    return std::abs(score(look_.a, task) - score(look_.b, task));
  });
  Q_EMIT picked(neighbour(order, look_.task, step, WalkFrom::First));
  return true;
}

ExportTable AgreementPlot::table() const {
  std::vector<QStringList> rows;
  QStringList headers{tr("task")};
  if (look_.judged)
    for (const std::size_t model : {look_.a, look_.b})
      headers << tr("top-%1 of %2")
                     .arg(look_.judged->evaluation.ks[look_.k])
                     .arg(modelTitle(look_.judged->evaluation.models[model].name));
  for (int task = 0; task < taskCount(); ++task)
    rows.push_back(
        {qs(look_.judged->data.tasks[look_.judged->evaluation.tasks[std::size_t(task)]].name),
         QString::number(score(look_.a, task), 'g', 6),
         QString::number(score(look_.b, task), 'g', 6)});
  return tableOfRows(headers, std::move(rows));
}

} // namespace nestwright::ui

#include "moc_agreement_plot.cpp"
