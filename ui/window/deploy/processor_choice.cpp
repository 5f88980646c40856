#include "ui/window/deploy/processor_choice.h"

#include "ui/kit/text.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

#include <algorithm>

namespace nestwright::ui {

ProcessorChoice::ProcessorChoice(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Processor"));
  setToolTip(tr("The processor that the code is for: this machine's with all that it has, or no "
                "more than a level of x86-64, with the records that were tuned for that level."));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins({});
  for (const std::string& name : processorNames()) {
    const InstructionSet set = instructionSetOfProcessor(name);
    const bool native = set == InstructionSet::Native;
    auto* box = new QCheckBox(native ? tr("this one (native)") : qs(name), this);
    box->setToolTip(native ? tr("Code with all that this machine's processor has. It stands alone.")
                           : tr("Code for any processor of %1. Of several the library takes the "
                                "best that the processor can run, once it is loaded.")
                                 .arg(qs(name)));
    row->addWidget(box);
    boxes_.push_back({set, box});
    connect(box, &QCheckBox::toggled, this, [this, ticked = boxes_.back()] {
      follow(ticked);
      Q_EMIT changed();
    });
  }
  row->addStretch();
  setFocusProxy(boxes_.front().box);
  choose(DeployOptions().instructionSets);
}

void ProcessorChoice::follow(const Box& ticked) {
  if (!ticked.box->isChecked()) return;
  const bool native = ticked.set == InstructionSet::Native;
  for (const Box& other : boxes_) {
    const QSignalBlocker quiet(other.box);
    if (native != (other.set == InstructionSet::Native)) other.box->setChecked(false);
  }
}

std::vector<InstructionSet> ProcessorChoice::chosen() const {
  std::vector<InstructionSet> sets;
  for (const Box& one : boxes_)
    if (one.box->isChecked()) sets.push_back(one.set);
  return sets.empty() ? sets : arrangedSets(std::move(sets));
}

void ProcessorChoice::choose(const std::vector<InstructionSet>& sets) {
  for (const Box& one : boxes_) {
    const QSignalBlocker quiet(one.box);
    one.box->setChecked(std::ranges::find(sets, one.set) != sets.end());
  }
  Q_EMIT changed();
}

} // namespace nestwright::ui

#include "moc_processor_choice.cpp"
