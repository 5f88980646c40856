#include "ui/window/target_form.h"

#include "core/plugin/target_named.h"
#include "ui/document/settings.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {
namespace {

constexpr const char* kProcessor = "llvm";
constexpr const char* kDeviceHere = "cuda";

QString nameOf(const std::string& target) {
  if (target == kProcessor) return TargetForm::tr("this processor (llvm)");
  if (target == kDeviceHere) return TargetForm::tr("this machine's GPU (cuda)");
  return TargetForm::tr("any %1 GPU, without one (%2)")
      .arg(qs(target.substr(target.find(':') + 1)), qs(target));
}

QString purposeOf(const std::string& target) {
  if (target == kProcessor)
    return TargetForm::tr("Programs for the processor of this machine, compiled by LLVM and "
                          "measured here.");
  if (target == kDeviceHere)
    return TargetForm::tr("CUDA programs for an NVIDIA GPU of this machine, compiled by NVRTC and "
                          "measured on it.");
  return TargetForm::tr(
      "CUDA programs with the limits of this architecture, to be looked at: their "
      "sketches, their code, what they take. None is measured.");
}

} // namespace

TargetForm::TargetForm(Survey survey, QWidget* parent)
    : QWidget(parent), survey_(std::move(survey)), targets_(new QComboBox(this)),
      devices_(new QComboBox(this)), devicesLabel_(new QLabel(tr("&Device"), this)),
      note_(new QLabel(this)) {
  targets_->setAccessibleName(tr("Target"));
  targets_->setToolTip(tr("The machine that programs are made for. Records of different targets "
                          "are never mixed."));
  for (const std::string& name : targetNames()) {
    targets_->addItem(nameOf(name), qs(name));
    targets_->setItemData(targets_->count() - 1, purposeOf(name), Qt::ToolTipRole);
  }
  devices_->setAccessibleName(tr("Device"));
  devices_->setToolTip(
      tr("Which of this machine's GPUs measures. Others may go on computing on the "
         "rest."));
  devicesLabel_->setBuddy(devices_);
  note_->setWordWrap(true);
  note_->setTextFormat(Qt::PlainText);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* label = new QLabel(tr("Tar&get"), this);
  label->setBuddy(targets_);
  auto* row = new QHBoxLayout;
  row->addWidget(label);
  row->addWidget(targets_, 2);
  row->addSpacing(8);
  row->addWidget(devicesLabel_);
  row->addWidget(devices_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(note_);
  connect(targets_, &QComboBox::currentIndexChanged, this, &TargetForm::choose);
  connect(&Theme::instance(), &Theme::changed, this, &TargetForm::restyle);
  refresh();
}

std::string TargetForm::target() const {
  return targets_->currentData().toString().toStdString();
}

void TargetForm::setTarget(const std::string& target) {
  // Of a later version: shown as it is written.
  if (targets_->findData(qs(target)) < 0) targets_->addItem(qs(target), qs(target));
  targets_->setCurrentIndex(targets_->findData(qs(target)));
}

std::string TargetForm::device() const {
  if (target() != kDeviceHere) return {};
  return devices_->count() > 0 ? devices_->currentData().toString().toStdString() : device_;
}

void TargetForm::setDevice(const std::string& device) {
  device_ = device;
  const int at = devices_->findData(qs(device));
  if (at >= 0) devices_->setCurrentIndex(at);
}

bool TargetForm::isGpu() const {
  return target() != kProcessor;
}

const TargetSurvey* TargetForm::known() const {
  const auto found = known_.find(target());
  return found == known_.end() ? nullptr : &found->second;
}

bool TargetForm::canMeasure() const {
  return !isGpu() || measuresElsewhere() || (known() && known()->canMeasure);
}

bool TargetForm::measuresElsewhere() const {
  return target() == kDeviceHere && !Settings::workerCommand().isEmpty();
}

QString TargetForm::problem() const {
  if (target() != kDeviceHere || measuresElsewhere()) return {};
  if (!failure_.isEmpty()) return failure_;
  if (!known()) return tr("Looking for a GPU, its driver and NVRTC …");
  return known()->canMeasure ? QString() : note_->text();
}

void TargetForm::choose() {
  failure_.clear();
  asking_.cancel();
  if (isGpu() && !known() && !measuresElsewhere())
    asking_.ask<TargetSurvey>(
        [survey = survey_, target = target()](const Job&) { return survey(target); },
        [this, target = target()](TargetSurvey found) {
          known_[target] = std::move(found);
          refresh();
        },
        [this](const QString& why) {
          failure_ = why;
          refresh();
        });
  refresh();
}

void TargetForm::refresh() {
  const TargetSurvey* survey = known();
  QStringList notes;
  if (measuresElsewhere())
    notes.append(tr("Your worker command measures: which GPU that has is asked for as the session "
                    "is made."));
  else if (survey)
    for (const std::string& missing : survey->missing)
      notes.append(qs(missing));
  else if (isGpu())
    notes.append(failure_.isEmpty() ? tr("Looking for a GPU, its driver and NVRTC …") : failure_);
  note_->setText(notes.join(QLatin1Char('\n')));
  note_->setVisible(!notes.isEmpty());
  const std::string chosen = device();
  devices_->clear();
  const bool asks = target() == kDeviceHere && survey && survey->devices.size() > 1;
  if (asks) {
    devices_->addItem(tr("the first"), QString());
    for (const std::string& name : survey->devices)
      if (devices_->findData(qs(name)) < 0) devices_->addItem(qs(name), qs(name));
    setDevice(chosen);
  }
  devices_->setVisible(asks);
  devicesLabel_->setVisible(asks);
  restyle();
  Q_EMIT changed();
}

void TargetForm::restyle() {
  const bool bad = target() == kDeviceHere && (!failure_.isEmpty() || (known() && !canMeasure()));
  note_->setStyleSheet(
      QStringLiteral("color: %1").arg((bad ? colours().failed : colours().dim).name()));
}

} // namespace nestwright::ui
