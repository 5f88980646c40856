#include "ui/scheduler/budget_watch.h"

#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/kit/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kAdviceMilliseconds = 1000;

} // namespace

BudgetWatch::BudgetWatch(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  timer_.setSingleShot(true);
  timer_.setInterval(kAdviceMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &BudgetWatch::refresh);
  connect(&document, &Document::stateChanged, this, &BudgetWatch::refresh);
  for (const auto signal : {&SessionFollower::historyChanged, &SessionFollower::progressChanged,
                            &SessionFollower::settingsChanged, &SessionFollower::tasksChanged,
                            &SessionFollower::jumped})
    connect(&document.follower(), signal, this, &BudgetWatch::schedule);
}

void BudgetWatch::setMinutes(int minutes) {
  minutes_ = std::max(1, minutes);
  refresh();
}

void BudgetWatch::schedule() {
  if (!timer_.isActive()) timer_.start();
}

void BudgetWatch::refresh() {
  timer_.stop();
  outlook_ = document_.state() == DocumentState::Ready && !document_.session().historyLoading()
                 ? budgetOutlook(document_.session(), minutes_)
                 : BudgetOutlook();
  Q_EMIT changed();
}

QString gainText(const Ranged& gain) {
  const auto bare = [](double share) {
    return percentText(share).remove(QStringLiteral("%")).trimmed();
  };
  return QCoreApplication::translate("Budget", "%1 (80 % range %2–%3)")
      .arg(percentText(gain.value), bare(gain.low), bare(gain.high));
}

QString durationRangeText(const Ranged& seconds) {
  QString low = durationText(seconds.low), high = durationText(seconds.high);
  if (low == high) return low;
  // "6–9 min" where both are of one unit.
  const qsizetype unit = low.indexOf(QLatin1Char(' '));
  const bool alike = unit > 0 && low.count(QLatin1Char(' ')) == 1 &&
                     high.count(QLatin1Char(' ')) == 1 && high.endsWith(low.mid(unit));
  return (alike ? low.left(unit) : low) + QStringLiteral("–") + high;
}

} // namespace nestwright::ui

#include "moc_budget_watch.cpp"
