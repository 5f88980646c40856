#include "ui/lab/order_plot.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr double kLineReach = 8; // pixels

} // namespace

OrderPlot::OrderPlot(QWidget* parent)
    : Chart(parent, tr("Predicted and measured order of a task's programs"),
            tr("Up and down go through the programs in the model's order. Show as Table gives the "
               "numbers."),
            QSize(200, 160)) {
  setUpPlot(*this);
  for (QCPCurve** lines : {&rest_, &missed_, &overrated_, &hits_, &here_})
    *lines = new QCPCurve(xAxis, yAxis);
  yAxis->setTicker(QSharedPointer<CountTicker>::create());
  yAxis->setRangeReversed(true);
  putLegendAbove(*this);
  here_->removeFromLegend();
  restyle();
}

void OrderPlot::restyle() {
  Chart::restyle();
  const Colours& c = colours();
  rest_->setPen(QPen(faded(c.faint, 130), 1));
  hits_->setPen(QPen(c.series[0], 2.4));
  missed_->setPen(QPen(c.series[1], 2.4, Qt::DashLine));
  overrated_->setPen(QPen(c.series[3], 2.4, Qt::DotLine));
  here_->setPen(QPen(c.accent, 4));
  styleLegend(*legend);
  yAxis->grid()->setVisible(false);
  refresh();
}

void OrderPlot::show(std::vector<JudgedProgram> programs, std::size_t k, const QString& model) {
  programs_ = std::move(programs);
  k_ = k;
  model_ = model;
  at_ = -1;
  readout_->hide();
  refresh();
}

void OrderPlot::showMessage(const QString& message) {
  programs_.clear();
  message_->setText(message);
  refresh();
}

void OrderPlot::refresh() {
  const bool some = !programs_.empty();
  showMessageInstead(!some);
  legend->setVisible(some);
  rest_->setName(tr("others"));
  hits_->setName(tr("favourite and fast"));
  missed_->setName(tr("fast, missed"));
  overrated_->setName(tr("favourite, slow"));
  for (QCPCurve* lines : {rest_, hits_, missed_, overrated_, here_})
    lines->data()->clear();
  const auto add = [](QCPCurve* lines, const JudgedProgram& program) {
    const int t = lines->dataCount();
    lines->addData(t, 0, double(program.predicted));
    lines->addData(t + 1, 1, double(program.measured));
    lines->addData(t + 2, std::nan(""), std::nan("")); // and nothing to the next one
  };
  for (const JudgedProgram& program : programs_) {
    const bool promised = program.predicted <= k_, kept = program.measured <= k_;
    add(promised ? (kept ? hits_ : overrated_) : kept ? missed_ : rest_, program);
  }
  if (at_ >= 0 && at_ < std::ssize(programs_)) add(here_, programs_[std::size_t(at_)]);
  const auto ends = QSharedPointer<QCPAxisTickerText>::create();
  ends->addTick(0, tr("predicted"));
  ends->addTick(1, tr("measured"));
  xAxis->setTicker(ends);
  explainAxis(*xAxis, {},
              tr("Each line is a program: its place by prediction on the left, its place by "
                 "measuring on the right. The flatter the lines, the better the model ranks."));
  explainAxis(*yAxis, tr("rank, 1 is the fastest"),
              tr("Place of the program among the task's tested programs. Lower is faster."));
  xAxis->setRange(-0.12, 1.12);
  yAxis->setRange(0.2, std::max<double>(2, double(programs_.size())) + 0.8);
  wrapLegend(*this);
  replot(QCustomPlot::rpQueuedReplot);
}

std::optional<int> OrderPlot::pointAt(const QPointF& pixel) const {
  const double left = xAxis->coordToPixel(0), right = xAxis->coordToPixel(1);
  if (right <= left) return std::nullopt;
  const double along = std::clamp((pixel.x() - left) / (right - left), 0.0, 1.0);
  return nearestPoint(programs_.size(), kLineReach, [&](std::size_t i) {
    const double from = yAxis->coordToPixel(double(programs_[i].predicted)),
                 to = yAxis->coordToPixel(double(programs_[i].measured));
    return std::abs(from + along * (to - from) - pixel.y());
  });
}

QString OrderPlot::describe(int at) const {
  const JudgedProgram& program = programs_[std::size_t(at)];
  const double best = std::ranges::min(programs_, {}, &JudgedProgram::seconds).seconds;
  QString text = tr("Rank %1 of %2 by %3, %4 by measuring")
                     .arg(program.predicted)
                     .arg(programs_.size())
                     .arg(model_)
                     .arg(program.measured);
  text += program.failed()
              ? tr("\nIt failed")
              : tr("\n%1, %2 of the best's speed")
                    .arg(timeText(program.seconds), percentText(best / program.seconds));
  return text + tr("\nScore %1").arg(program.score, 0, 'g', 4);
}

bool OrderPlot::walk(int step) {
  if (programs_.empty()) return false;
  const int last = int(programs_.size()) - 1;
  at_ = at_ < 0 ? 0 : std::clamp(at_ - step, 0, last); // up is towards the favourite
  refresh();
  tell({xAxis->coordToPixel(0.2),
        yAxis->coordToPixel(double(programs_[std::size_t(at_)].predicted))},
       describe(at_));
  return true;
}

ExportTable OrderPlot::table() const {
  std::vector<QStringList> rows;
  for (const JudgedProgram& program : programs_)
    rows.push_back(
        {QString::number(program.predicted), QString::number(program.measured),
         program.failed() ? tr("failed") : QString::number(program.seconds * 1e3, 'g', 6),
         QString::number(program.score, 'g', 6)});
  return tableOfRows({tr("predicted rank"), tr("measured rank"), tr("time, ms"), tr("score")},
                     std::move(rows));
}

} // namespace nestwright::ui

#include "moc_order_plot.cpp"
