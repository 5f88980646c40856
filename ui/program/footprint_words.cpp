#include "ui/program/footprint_words.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/program/program_text.h"

#include <QStringList>

namespace nestwright::ui {
namespace {

QString tileText(const CacheUse& use) {
  return use.fits ? tr("the tile %1 works on %2 and is run %3 times")
                        .arg(qs(use.loop), bytesText(use.bytes),
                             countText(static_cast<std::int64_t>(use.runs)))
                  : tr("no tile fits: %1 works on %2 and is run %3 times")
                        .arg(qs(use.loop), bytesText(use.bytes),
                             countText(static_cast<std::int64_t>(use.runs)));
}

} // namespace

QString nameOf(CacheLevel level) {
  static const char* const kNames[] = {QT_TR_NOOP("L1"), QT_TR_NOOP("L2"), QT_TR_NOOP("L3"),
                                       QT_TR_NOOP("memory"), ""};
  return tr(kNames[static_cast<int>(level)]);
}

QString buffersText(const LoopFootprint& loop) {
  QStringList buffers;
  for (const LoopTraffic::Buffer& buffer : loop.buffers)
    buffers.append(QStringLiteral("%1  %2").arg(qs(buffer.name), bytesText(buffer.bytes)));
  return buffers.join(QLatin1Char('\n'));
}

QString verdictText(const FootprintComparison& comparison) {
  if (!comparison.hasCaches())
    return tr("The caches of this machine are not known: logs do not tell them.");
  if (!comparison.isKnown()) return tr("What the loops work on is not known of both programs.");
  const std::optional<TellingCache> telling = tellingCache(comparison);
  if (!telling)
    return tr("Both move about as much into every cache: what makes one faster is not its tiles.");
  const CacheRow& cache = telling->cache;
  const bool lessInB = cache.b.movedBytes < cache.a.movedBytes;
  return tr("%1 moves %2 less into %3 (%4). In A, %5; in B, %6.")
      .arg(lessInB ? QStringLiteral("B") : QStringLiteral("A"), factorText(telling->ratio),
           nameOf(cache.level), bytesText(cache.size), tileText(cache.a), tileText(cache.b));
}

} // namespace nestwright::ui
