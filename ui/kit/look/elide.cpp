#include "ui/kit/look/elide.h"

#include <QFontMetrics>

#include <algorithm>
#include <array>

namespace nestwright::ui {
namespace {

const QString kSign = QStringLiteral("…");

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

/// Whole words are easier to tell apart; the beginning gets what they leave.
Ends endsOf(const QString& name, const QFontMetrics& metrics, int room, double headShare,
            bool wholeWords) {
  QStringView tail = QStringView(name).right(
      fitting(name, metrics, room - static_cast<int>(room * headShare), true));
  if (const qsizetype word = tail.indexOf(QLatin1Char(' '));
      wholeWords && word >= 0 && word + 1 < tail.size())
    tail = tail.sliced(word + 1);
  const int used = metrics.horizontalAdvance(tail.toString());
  return {QStringView(name).left(fitting(name, metrics, room - used, false)), tail};
}

/// Letters beside one another may take a little more than each alone.
QString joined(Ends ends, const QFontMetrics& metrics, int width) {
  const auto text = [&] { return ends.head.toString() + kSign + ends.tail.toString(); };
  while (!ends.head.isEmpty() && metrics.horizontalAdvance(text()) > width)
    ends.head.chop(1);
  return text();
}

} // namespace

QString elidedApart(const QString& name, const QStringList& others, const QFontMetrics& metrics,
                    int width) {
  if (metrics.horizontalAdvance(name) <= width) return name;
  const int room = width - metrics.horizontalAdvance(kSign);
  if (room <= 0) return kSign;
  // A little more of the beginning than of the end, which is often alike.
  struct Way {
    double headShare;
    bool wholeWords;
  };
  constexpr std::array kWays{Way{0.7, true},  Way{0.6, true},  Way{0.5, true},  Way{0.4, true},
                             Way{0.7, false}, Way{0.5, false}, Way{0.3, false}, Way{0.9, false},
                             Way{0.1, false}, Way{1.0, false}, Way{0.0, false}};
  for (const Way& way : kWays) {
    const Ends ends = endsOf(name, metrics, room, way.headShare, way.wholeWords);
    const bool isAlone = std::ranges::none_of(
        others, [&](const QString& other) { return other != name && ends.areOf(other); });
    if (isAlone) return joined(ends, metrics, width);
  }
  return joined(endsOf(name, metrics, room, kWays[0].headShare, true), metrics, width);
}

} // namespace nestwright::ui
