#include "ui/window/new_session/target_form.h"

#include "core/backend/choose_device.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"
#include "core/target/instruction_set.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr const char* kProcessor = "llvm";
constexpr const char* kPlainProcessor = "llvm:plain";
constexpr const char* kPackedProcessor = "llvm:plain-packed";
constexpr const char* kDeviceHere = "cuda";

/// `elsewhere`: a worker command of the person's own compiles and measures.
QString nameOf(const std::string& target, bool elsewhere) {
  if (target == kProcessor)
    return elsewhere ? TargetForm::tr("the worker's processor (llvm)")
                     : TargetForm::tr("this processor (llvm)");
  if (target == kPlainProcessor)
    return elsewhere ? TargetForm::tr("the worker's processor, lowered plainly (llvm:plain)")
                     : TargetForm::tr("this processor, lowered plainly (llvm:plain)");
  if (target == kPackedProcessor)
    return elsewhere ? TargetForm::tr("the worker's processor, lowered plainly, with packed "
                                      "operands (llvm:plain-packed)")
                     : TargetForm::tr("this processor, lowered plainly, with packed operands "
                                      "(llvm:plain-packed)");
  if (target == kDeviceHere)
    return elsewhere ? TargetForm::tr("the worker's GPU (cuda)")
                     : TargetForm::tr("this machine's GPU (cuda)");
  return TargetForm::tr("any %1 GPU, without one (%2)")
      .arg(qs(target.substr(target.find(':') + 1)), qs(target));
}

QString purposeOf(const std::string& target, bool elsewhere) {
  if (target == kProcessor)
    return elsewhere ? TargetForm::tr("Programs for the processor of the machine where your worker "
                                      "command runs, compiled by LLVM and measured there.")
                     : TargetForm::tr("Programs for the processor of this machine, compiled by "
                                      "LLVM and measured here.");
  if (target == kPlainProcessor)
    return TargetForm::tr(
        "Programs for a processor with their loops just as the schedule says, and LLVM's own "
        "vectorisers: no tiles of registers, no packed weights. That is what TVM's code generator "
        "does, and where search methods can be told apart. No network runs so.");
  if (target == kPackedProcessor)
    return TargetForm::tr(
        "As plain; beside that the second operand of a product is stored in the order in which "
        "the program reads it, before anything is timed. TVM measures so where its layout "
        "rewriting is on. No network runs so.");
  if (target == kDeviceHere)
    return elsewhere ? TargetForm::tr("CUDA programs for an NVIDIA GPU of the machine where your "
                                      "worker command runs, compiled and measured there.")
                     : TargetForm::tr("CUDA programs for an NVIDIA GPU of this machine, compiled "
                                      "by NVRTC and measured on it.");
  return TargetForm::tr(
      "CUDA programs with the limits of this architecture, to be looked at: their "
      "sketches, their code, what they take. None is measured.");
}

/// "llvm", "llvm:plain", ...; not one of a later version.
bool isProcessor(const std::string& target) {
  const std::vector<std::string> known = targetNames();
  return !namesGpu(target) && std::ranges::find(known, target) != known.end();
}

QString nameOf(InstructionSet set) {
  switch (set) {
  case InstructionSet::Native:
    return TargetForm::tr("all that it has");
  case InstructionSet::Sse42:
    return TargetForm::tr("up to SSE4.2");
  case InstructionSet::Avx2:
    return TargetForm::tr("up to AVX2");
  case InstructionSet::Avx512:
    return TargetForm::tr("up to AVX-512");
  }
  return {};
}

QString lookingText() {
  return TargetForm::tr("Looking for a GPU, its driver and NVRTC …");
}

/// Of these devices, the number of the one that is meant; nothing when that is none, or not clear.
std::optional<int> numberOf(const std::string& wanted, const std::vector<GpuFacts>& devices) {
  try {
    return chooseDevice(devices, wanted);
  } catch (const Error&) {
    return std::nullopt;
  }
}

} // namespace

TargetForm::TargetForm(Survey survey, QWidget* parent)
    : QWidget(parent), survey_(std::move(survey)), targets_(new QComboBox(this)),
      devices_(new QComboBox(this)), sets_(new QComboBox(this)),
      devicesLabel_(new QLabel(tr("&Device"), this)),
      setsLabel_(new QLabel(tr("&Instructions"), this)), note_(new QLabel(this)),
      asking_(nullptr, sharedThreads()) {
  targets_->setAccessibleName(tr("Target"));
  targets_->setToolTip(tr("The machine that programs are made for. Records of different targets "
                          "are never mixed."));
  for (const std::string& name : targetNames())
    targets_->addItem(QString(), qs(name));
  devices_->setAccessibleName(tr("Device"));
  devices_->setSizeAdjustPolicy(QComboBox::AdjustToContents); // filled when devices are known
  devicesLabel_->setBuddy(devices_);
  sets_->setAccessibleName(tr("Instructions"));
  sets_->setToolTip(tr("What programs may use of the processor. With less than it has they are for "
                       "an instruction-set target of this machine, which stands in for processors "
                       "that have no more; its records are kept apart."));
  for (const std::string& name : instructionSetNames())
    sets_->addItem(nameOf(instructionSetFromName(name)), qs(name));
  setsLabel_->setBuddy(sets_);
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
  row->addWidget(setsLabel_);
  row->addWidget(sets_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(note_);
  connect(targets_, &QComboBox::currentIndexChanged, this, &TargetForm::choose);
  connect(devices_, &QComboBox::currentIndexChanged, this, [this] {
    wantedDevice_ = device();
    tell();
  });
  connect(sets_, &QComboBox::currentIndexChanged, this, &TargetForm::tell);
  connect(&Theme::instance(), &Theme::changed, this, &TargetForm::restyle);
  refresh();
}

std::string TargetForm::target() const {
  std::string target = targets_->currentData().toString().toStdString();
  if (!isProcessor(target)) return target;
  return targetWith(target, instructionSetFromName(sets_->currentData().toString().toStdString()));
}

void TargetForm::setTarget(const std::string& given) {
  const InstructionSet set = instructionSetOf(given);
  const std::string target =
      set == InstructionSet::Native ? given : targetWith(given, InstructionSet::Native);
  sets_->setCurrentIndex(sets_->findData(QString(name(set))));
  // Of a later version: shown as it is written.
  if (targets_->findData(qs(target)) < 0) targets_->addItem(qs(target), qs(target));
  targets_->setCurrentIndex(targets_->findData(qs(target)));
}

std::string TargetForm::device() const {
  return target() == kDeviceHere ? devices_->currentData().toString().toStdString() : "";
}

void TargetForm::setDevice(const std::string& device) {
  wantedDevice_ = device;
  refresh();
}

bool TargetForm::isGpu() const {
  return !isProcessor(targets_->currentData().toString().toStdString());
}

const TargetSurvey* TargetForm::known() const {
  const auto found = known_.find(target());
  return found == known_.end() ? nullptr : &found->second;
}

bool TargetForm::canMeasure() const {
  return !isGpu() || measuresElsewhere() || (known() && known()->canMeasure);
}

bool TargetForm::measuresElsewhere() const {
  return isRecorded_ || (target() == kDeviceHere && !Settings::workerCommand().isEmpty());
}

void TargetForm::setRecorded(bool isRecorded) {
  if (isRecorded == isRecorded_) return;
  isRecorded_ = isRecorded;
  choose();
}

std::vector<GpuFacts> TargetForm::devicesHere() const {
  std::vector<GpuFacts> devices;
  if (!known() || measuresElsewhere()) return devices;
  for (const SurveyedDevice& device : known()->devices)
    devices.push_back(device.facts);
  return devices;
}

QString TargetForm::deviceProblem() const {
  if (!known() || measuresElsewhere()) return {};
  const std::vector<GpuFacts> here = devicesHere();
  if (here.empty() && device().empty()) return {};
  const std::optional<int> number = numberOf(device(), here);
  if (!number) return tr("%1 is no GPU of this machine: choose another device.").arg(qs(device()));
  return qs(known()->devices[static_cast<std::size_t>(*number)].problem);
}

QString TargetForm::instructionsProblem() const {
  const InstructionSet set = instructionSetOf(target());
  if (measuresElsewhere() || canRun(hostTarget(), set)) return {};
  return tr("This machine's processor cannot run programs %1: choose other instructions.")
      .arg(nameOf(set));
}

QString TargetForm::problem() const {
  if (!isGpu()) return instructionsProblem();
  if (target() != kDeviceHere || measuresElsewhere()) return {};
  if (!failure_.isEmpty()) return failure_;
  if (!known()) return lookingText();
  return known()->canMeasure ? deviceProblem() : note_->text();
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
  fillTargets();
  fillDevices();
  tell();
}

void TargetForm::fillTargets() {
  const bool elsewhere = !Settings::workerCommand().isEmpty();
  for (const std::string& name : targetNames()) {
    const int row = targets_->findData(qs(name));
    targets_->setItemText(row, nameOf(name, elsewhere));
    targets_->setItemData(row, purposeOf(name, elsewhere), Qt::ToolTipRole);
  }
  devices_->setToolTip(elsewhere
                           ? tr("Which GPU of the machine where your worker command runs measures.")
                           : tr("Which of this machine's GPUs measures. Others may go on computing "
                                "on the rest."));
}

void TargetForm::fillDevices() {
  const QSignalBlocker quiet(devices_);
  devices_->clear();
  const std::vector<GpuFacts> here = devicesHere();
  // Of several kinds the driver's order says nothing.
  if (areOfOneKind(here)) devices_->addItem(tr("the first"), QString());
  for (std::size_t i = 0; i < here.size(); ++i)
    devices_->addItem(QStringLiteral("%1: %2").arg(i).arg(qs(here[i].name)), QString::number(i));
  int chosen = 0;
  if (!wantedDevice_.empty()) {
    if (const std::optional<int> number = numberOf(wantedDevice_, here))
      chosen = devices_->findData(QString::number(*number));
    else {
      const bool isMissing = known() && !measuresElsewhere();
      devices_->addItem(isMissing ? tr("%1 (not found here)").arg(qs(wantedDevice_))
                                  : qs(wantedDevice_),
                        qs(wantedDevice_));
      chosen = devices_->count() - 1;
    }
  }
  devices_->setCurrentIndex(chosen);
  const bool asks =
      target() == kDeviceHere && !isRecorded_ && (here.size() > 1 || !wantedDevice_.empty());
  devices_->setVisible(asks);
  devicesLabel_->setVisible(asks);
}

/// What is known of the choice.
void TargetForm::tell() {
  QStringList notes;
  if (isRecorded_ && isGpu())
    notes.append(tr("The recorded file answers in the GPU's place: none is needed here."));
  else if (measuresElsewhere() && isGpu())
    notes.append(tr("Your worker command measures: which GPU that has is asked for as the session "
                    "is made."));
  else if (const TargetSurvey* survey = measuresElsewhere() ? nullptr : known())
    for (const std::string& missing : survey->missing)
      notes.append(qs(missing));
  else if (isGpu() && !measuresElsewhere())
    notes.append(failure_.isEmpty() ? lookingText() : failure_);
  if (const QString why = deviceProblem();
      target() == kDeviceHere && !why.isEmpty() && !notes.contains(why))
    notes.append(why);
  if (const QString why = instructionsProblem(); !why.isEmpty()) notes.append(why);
  setsLabel_->setVisible(!isGpu());
  sets_->setVisible(!isGpu());
  note_->setText(notes.join(QLatin1Char('\n')));
  note_->setVisible(!notes.isEmpty());
  restyle();
  Q_EMIT changed();
}

void TargetForm::restyle() {
  const bool isLooking = failure_.isEmpty() && !known();
  const bool bad = !isGpu()                  ? !problem().isEmpty()
                   : measuresElsewhere()     ? false
                   : target() == kDeviceHere ? !isLooking && !problem().isEmpty()
                                             : known() && !known()->canCompile;
  setTextColour(note_, bad ? colours().failed : colours().dim);
}

} // namespace nestwright::ui

#include "moc_target_form.cpp"
