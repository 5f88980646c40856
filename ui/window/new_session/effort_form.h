#pragma once
/// \file How much a new session does, which is the first that a newcomer decides: an effort, with
/// what it promises for what was chosen to be tuned, and below it what the effort sets, to be
/// changed.

#include "core/session/run/finish/effort.h"
#include "core/session/run/session.h"

#include <QGroupBox>

#include <array>
#include <optional>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QRadioButton;
class QSpinBox;
class QToolButton;

namespace nestwright::ui {

/// The tasks that the session will have, as far as they are known.
struct TaskCount {
  std::optional<std::size_t> tasks; // none while they are counted
  double secondsPerTrial = 0;       // of sessions on the target; 0: not known
  bool operator==(const TaskCount&) const = default;
};

class EffortForm : public QGroupBox {
  Q_OBJECT
 public:
  /// With the normal effort, unless its cost model is not here.
  explicit EffortForm(QWidget* parent = nullptr);

  /// The settings that it knows, with what its fields and the effort say.
  const SessionConfig& config() const { return config_; }
  /// None: settings of one's own.
  std::optional<Effort> effort() const { return effort_; }

  /// Shows the settings of another session.
  void setConfig(const SessionConfig& config);
  /// Takes what another form of the dialog changed.
  void follow(const SessionConfig& config);
  /// A number of the person's: an effort that takes any follows it, another one ends.
  void setTrials(std::int64_t trials);
  /// What the effort sets depends on it.
  void setCount(const TaskCount& count);
  /// Those that a person set, whatever an effort makes of them.
  std::int64_t ownTrials() const { return ownTrials_; }

  /// Why no session can be made so, or that the tasks are being counted; empty when one can.
  QString problem() const;

  QToolButton* detailsButton() const { return details_; }

 Q_SIGNALS:
  /// The settings are other ones by what was done here, or by what became known.
  void settled();

 private:
  void buildChoices();
  QWidget* buildDetails();
  void choose(std::optional<Effort> effort);
  /// The effort's settings anew, if there is one.
  void settle();
  void edited();
  void tell();
  void tellPromises();
  /// What the settings are those of, unless the person said that they are none's.
  std::optional<Effort> recognized() const;
  QString mistake() const;

  SessionConfig config_;
  std::optional<Effort> effort_;
  std::int64_t ownTrials_; // that a person set
  TaskCount count_;
  std::size_t tasks_ = 1; // as they were counted last
  bool ownChosen_ = false;
  bool filling_ = false;
  std::array<QRadioButton*, 4> choices_; // by Effort, and own settings
  std::array<QLabel*, 3> promises_;
  QLabel *purpose_, *problem_;
  QComboBox* draft_;
  QSpinBox* polish_;
  QDoubleSpinBox* stop_;
  QToolButton* details_;
  QWidget* fields_;
};

} // namespace nestwright::ui
