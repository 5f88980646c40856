#pragma once
/// \file Choosing what a new session's programs are for, and saying before it begins what is
/// missing here to compile or to measure them.

#include "core/plugin/target_survey.h"
#include "ui/kit/background.h"

#include <QWidget>

#include <functional>
#include <map>

class QComboBox;
class QLabel;

namespace nestwright::ui {

class TargetForm : public QWidget {
  Q_OBJECT
 public:
  /// Asked in the background, once for each target that is chosen.
  using Survey = std::function<TargetSurvey(const std::string& target)>;

  explicit TargetForm(Survey survey = surveyTarget, QWidget* parent = nullptr);

  /// As targetNamed() takes it: "llvm", "llvm:plain:avx2", "cuda", "cuda:sm_90".
  std::string target() const;
  void setTarget(const std::string& target);
  /// Which GPU, as MeasureOptions::device has it; empty: the first of those that are alike.
  std::string device() const;
  /// By its number or a part of its name. It stays while another target is looked at, and is shown
  /// where it is not found, too.
  void setDevice(const std::string& device);
  bool isGpu() const;
  /// A recorded machine answers: nothing has to be here.
  void setRecorded(bool isRecorded);
  /// By a recorded machine, or a worker command of the person's own, of whose machine nothing is
  /// known here.
  bool measuresElsewhere() const;
  /// Whether its programs can be measured here, as far as is known.
  bool canMeasure() const;
  /// Why no session can be made for this target here; empty when one can.
  QString problem() const;

  QComboBox* targets() const { return targets_; }
  QComboBox* devices() const { return devices_; }
  /// What programs may use of a processor.
  QComboBox* instructionSets() const { return sets_; }
  QLabel* note() const { return note_; }

 Q_SIGNALS:
  /// Another target, or more is known of it.
  void changed();

 private:
  void choose();
  void refresh();
  void fillTargets();
  void fillDevices();
  void tell();
  void restyle();
  const TargetSurvey* known() const;
  /// Of this machine, as far as they are known.
  std::vector<GpuFacts> devicesHere() const;
  /// Why the chosen one cannot measure.
  QString deviceProblem() const;
  /// Why this processor cannot run programs for the chosen instruction set.
  QString instructionsProblem() const;

  Survey survey_;
  std::map<std::string, TargetSurvey> known_;
  bool isRecorded_ = false;
  QString failure_;          // of the survey itself
  std::string wantedDevice_; // that was set or chosen
  QComboBox *targets_, *devices_, *sets_;
  QLabel *devicesLabel_, *setsLabel_, *note_;
  // A survey cannot be told to stop, and nobody waits for it: what it has is dropped then.
  Background asking_;
};

} // namespace nestwright::ui
