#include "ui/lab/judged.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

bool isYardstick(const std::string& model) {
  return model == "random" || model == "oracle";
}

std::vector<std::size_t> shownOrder(const ModelEvaluation& evaluation) {
  std::vector<std::size_t> first, order, last;
  for (std::size_t i = 0; i < evaluation.models.size(); ++i)
    (evaluation.models[i].name == "random"   ? first
     : evaluation.models[i].name == "oracle" ? last
                                             : order)
        .push_back(i);
  order.insert(order.begin(), first.begin(), first.end());
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

QString modelTitle(const std::string& model) {
  const QString name = qs(model);
  if (isYardstick(model)) return name;
  const QString file = QFileInfo(name.section(QLatin1Char('#'), 0, 0)).fileName();
  const QString session = name.section(QLatin1Char('#'), 1);
  return session.isEmpty()
             ? file
             : tr("session %1 of %2").arg(session, QFileInfo(file).completeBaseName());
}

QColor modelColour(const ModelEvaluation& evaluation, std::size_t model) {
  if (isYardstick(evaluation.models[model].name)) return colours().dim;
  std::size_t place = 0;
  for (std::size_t i = 0; i < model; ++i)
    if (!isYardstick(evaluation.models[i].name)) ++place;
  return colours().series[place % colours().series.size()];
}

QString knownText(const ModelEvaluation& evaluation, std::size_t model) {
  const JudgedModel& judged = evaluation.models[model];
  if (judged.name == "random") return tr("It knows nothing: what luck gives.");
  if (judged.name == "oracle") return tr("It knows all: the most that a model can give.");
  if (!judged.seen)
    return tr("It does not say which tasks it learned from: it may have seen these.");
  if (*judged.seen == 0) return tr("It saw none of these tasks before.");
  return tr("It learned from %1 of these %2 tasks: its figures say nothing of new ones.")
      .arg(countText(qint64(*judged.seen)), countText(qint64(evaluation.tasks.size())));
}

QString figureText(double value) {
  if (!std::isfinite(value)) return noValue();
  return QString::number(value, 'f', std::abs(value) < 100 ? 3 : 1)
      .replace(QLatin1Char('-'), QStringLiteral("−"));
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
