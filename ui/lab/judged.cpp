#include "ui/lab/judged.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::ui {

std::vector<std::size_t> shownOrder(const ModelEvaluation& evaluation) {
  std::vector<std::size_t> first, order, last;
  for (std::size_t i = 0; i < evaluation.models.size(); ++i) {
    const auto yardstick = kYardstickNames.find(evaluation.models[i].name);
    (!yardstick ? order : *yardstick == Yardstick::Random ? first : last).push_back(i);
  }
  order.insert(order.begin(), first.begin(), first.end());
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

bool isSameBesidesTask(const JudgedLook& look, const JudgedLook& other) {
  return look.judged == other.judged && look.a == other.a && look.b == other.b && look.k == other.k;
}

JudgedLook lookAt(const Judged& judged, const JudgedLook& before) {
  const ModelEvaluation& evaluation = judged->evaluation;
  const std::vector<std::size_t> order = shownOrder(evaluation);
  const auto chosen = [&](std::size_t model, std::size_t otherwise) {
    if (before.judged)
      for (const std::size_t again : order)
        if (evaluation.models[again].name == before.judged->evaluation.models[model].name)
          return again;
    return order[std::min(otherwise, order.size() - 1)];
  };
  // Two models, or the only one against luck; the yardsticks are at both ends.
  const std::size_t models = order.size() - 2;
  JudgedLook look{judged, chosen(before.a, models > 0 ? 1 : 0),
                  chosen(before.b, models == 0   ? 1
                                   : models == 1 ? 0
                                                 : 2),
                  before.k, -1};
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t task = 0; task < evaluation.tasks.size(); ++task)
    if (const double score = topScore(evaluation, look.a, task, look.k); score < worst) {
      worst = score;
      look.task = int(task);
    }
  return look;
}

QString modelTitle(const std::string& model) {
  QString name = qs(model);
  if (isYardstick(model)) return name;
  const QString file = QFileInfo(name.section(QLatin1Char('#'), 0, 0)).fileName();
  const QString session = name.section(QLatin1Char('#'), 1);
  return session.isEmpty()
             ? file
             : tr("session %1 of %2").arg(session, QFileInfo(file).completeBaseName());
}

QString knownText(const ModelEvaluation& evaluation, std::size_t model) {
  const JudgedModel& judged = evaluation.models[model];
  if (const auto yardstick = kYardstickNames.find(judged.name))
    return *yardstick == Yardstick::Random ? tr("It knows nothing: what luck gives.")
                                           : tr("It knows all: the most that a model can give.");
  if (!judged.seen)
    return tr("It does not say which tasks it learned from: it may have seen these.");
  if (*judged.seen == 0) return tr("It saw none of these tasks before.");
  return tr("It learned from %1 of these %2 tasks: its figures say nothing of new ones.")
      .arg(countText(qint64(*judged.seen)), countText(qint64(evaluation.tasks.size())));
}

QString boundedText(const BoundedFigure& figure) {
  QString text = figureText(figure.value);
  if (std::isfinite(figure.bounds.low) && std::isfinite(figure.bounds.high) &&
      figure.bounds.low != figure.bounds.high)
    text += QStringLiteral(" (%1 … %2)")
                .arg(figureText(figure.bounds.low), figureText(figure.bounds.high));
  return text;
}

bool isClear(const BoundedFigure& difference) {
  return difference.bounds.low > 0 || difference.bounds.high < 0;
}

} // namespace nestwright::ui
