#include "ui/document/timing_apart.h"

#include "ui/document/document.h"
#include "ui/document/replay/replay_mode.h"

namespace nestwright::ui {

void TimingApart::set(const QObject* who, const QString& what) {
  if (now_[who] == what) return;
  now_[who] = what;
  Q_EMIT changed();
}

QString TimingApart::whyNot(const QObject* who) const {
  if (document_.replayMode().isOn())
    return tr("A replay is shown, and the past cannot be changed.");
  if (document_.isTuned())
    return tr("The session is being tuned. One at a time may time programs on this machine: pause "
              "the session first.");
  for (const auto& [other, what] : now_)
    if (other != who && !what.isEmpty()) return what;
  return {};
}

} // namespace nestwright::ui

#include "moc_timing_apart.cpp"
