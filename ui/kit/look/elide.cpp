#include "ui/kit/elide.h"

#include <QFontMetrics>

#include <algorithm>
#include <array>

namespace nestwright::ui {
namespace {

/// What remains of a name: its beginning and its end.
struct Ends {
  QStringView head, tail;
  bool areOf(const QString& other) const {
    return other.size() >= head.size() + tail.size() && other.startsWith(head) &&
           other.endsWith(tail);
  }
};

/// How many characters at the beginning, or at the end, have room.
qsizetype fitting(const QString& name, const QFontMetrics& metrics, int width, bool atEnd) {
  qsizetype fits = 0, low = 0, high = name.size();
  while (low <= high) {
    const qsizetype tried = (low + high) / 2;
    const QString part = atEnd ? name.right(tried) : name.left(tried);
    if (metrics.horizontalAdvance(part) <= width)
      fits = tried, low = tried + 1;
    else
      high = tried - 1;
  }
  return fits;
}

Ends endsOf(const QString& name, const QFontMetrics& metrics, int room, double headShare) {
  QStringView tail = QStringView(name).right(
      fitting(name, metrics, room - static_cast<int>(room * headShare), true));
  // Whole words are easier to tell apart; the beginning gets what they leave.
  if (const qsizetype word = tail.indexOf(QLatin1Char(' ')); word >= 0 && word + 1 < tail.size())
    tail = tail.sliced(word + 1);
  const int used = metrics.horizontalAdvance(tail.toString());
  return {QStringView(name).left(fitting(name, metrics, room - used, false)), tail};
}

} // namespace

QString elidedApart(const QString& name, const QStringList& others, const QFontMetrics& metrics,
                    int width) {
  if (metrics.horizontalAdvance(name) <= width) return name;
  const QString sign = QStringLiteral("…");
  const int room = width - metrics.horizontalAdvance(sign);
  if (room <= 0) return sign;
  // A little more of the beginning than of the end, which is often alike.
  constexpr std::array kHeadShares{0.7, 0.6, 0.8, 0.5, 0.9, 0.4, 0.3, 0.2, 0.1, 1.0, 0.0};
  for (const double share : kHeadShares) {
    const Ends ends = endsOf(name, metrics, room, share);
    const bool isAlone = std::ranges::none_of(
        others, [&](const QString& other) { return other != name && ends.areOf(other); });
    if (isAlone) return ends.head.toString() + sign + ends.tail.toString();
  }
  const Ends ends = endsOf(name, metrics, room, kHeadShares.front());
  return ends.head.toString() + sign + ends.tail.toString();
}

} // namespace nestwright::ui
