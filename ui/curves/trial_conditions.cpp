#include "ui/curves/trial_conditions.h"

#include "core/record/store/record_rows.h"
#include "ui/document/document.h"
#include "ui/document/reading/reader.h"
#include "ui/kit/text.h"

namespace nestwright::ui {

TrialConditions::TrialConditions(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, [this] {
    known_.clear();
    asked_ = 0;
  });
}

QString TrialConditions::of(RowId record) {
  if (record == 0 || document_.state() != DocumentState::Ready) return {};
  if (const auto found = known_.find(record); found != known_.end()) return found->second;
  if (asked_ == record) return {};
  asked_ = record;
  document_.reader().ask<QString>(
      this, Reader::Channel::Conditions,
      [record](const RecordStore& store) {
        const std::optional<Record> found = store.records().one(record);
        const std::string state = found ? inWords(found->result.machine) : std::string();
        return state.empty() ? QString() : tr("at %1").arg(qs(state));
      },
      [this, record](const QString& state) {
        constexpr std::size_t kMostKnown = 10'000;
        if (known_.size() >= kMostKnown) known_.clear();
        known_[record] = state;
        Q_EMIT arrived();
      },
      // The curves say what they know without it.
      [this, record](const QString&) { known_[record] = QString(); });
  return {};
}

} // namespace nestwright::ui

#include "moc_trial_conditions.cpp"
