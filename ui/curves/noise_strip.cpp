#include "ui/curves/noise_strip.h"

#include "core/record/store/store.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"

#include <utility>

namespace nestwright::ui {

NoiseStrip::NoiseStrip(QCustomPlot& plot, Document& document)
    : document_(document), strip_(new QCPItemRect(&plot)) {
  strip_->setLayer(QStringLiteral("background"));
  strip_->topLeft->setTypeX(QCPItemPosition::ptAxisRectRatio);
  strip_->bottomRight->setTypeX(QCPItemPosition::ptAxisRectRatio);
  strip_->setPen(Qt::NoPen);
  strip_->setVisible(false);
  connect(&document, &Document::stateChanged, this, &NoiseStrip::follow);
  connect(&document.follower(), &SessionFollower::tasksChanged, this, &NoiseStrip::follow);
  follow();
}

void NoiseStrip::restyle() {
  strip_->setBrush(faded(colours().dim, 34));
}

void NoiseStrip::follow() {
  std::vector<TaskBest> bests;
  if (document_.state() == DocumentState::Ready) bests = bestsOf(document_.session().tasks());
  if (std::exchange(bests_, bests) == bests) return;
  bands_ = {};
  background_.cancel();
  if (bests.empty()) return;
  background_.ask<NoiseBands>(
      [path = document_.file().path().toStdString(), bests = bests_](const Job&) {
        return readNoise(RecordStore::open(path, OpenMode::ReadOnly), bests);
      },
      [this](NoiseBands bands) {
        bands_ = std::move(bands);
        Q_EMIT changed();
      },
      [](const QString&) {}); // whatever reads the document next says why
}

std::optional<NoiseBand> NoiseStrip::band(RowId task) const {
  if (task == 0) return bands_.total;
  const auto found = bands_.tasks.find(task);
  return found == bands_.tasks.end() ? std::nullopt : std::optional(found->second);
}

void NoiseStrip::show(RowId task, double seconds, const std::function<double(double)>& value) {
  const std::optional<NoiseBand> known = band(task);
  strip_->setVisible(known.has_value());
  if (!known) return;
  strip_->topLeft->setCoords(0, value(seconds * known->high));
  strip_->bottomRight->setCoords(1, value(seconds * known->low));
}

void NoiseStrip::hide() {
  strip_->setVisible(false);
}

} // namespace nestwright::ui

#include "moc_noise_strip.cpp"
