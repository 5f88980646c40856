#pragma once
/// \file What a search is set by, field by field: the space, the policy, the cost model and all
/// that goes with them. Which of them matter depends on the others.

#include "core/session/run/search_survey.h"

#include <QWidget>

#include <array>
#include <optional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QSpinBox;

namespace nestwright::ui {

class HistoryForm;
class PretrainedForm;
class SearchPart;

class SearchFields : public QWidget {
  Q_OBJECT
 public:
  explicit SearchFields(QWidget* parent = nullptr);

  void show(const SessionConfig& config);
  /// What follows from the other fields, where nobody said anything else.
  void showSettled(const SessionConfig& config);
  /// The settings as the fields say; the others as they are given. An evaluator that cannot be read
  /// is left as it was.
  SessionConfig read(SessionConfig config) const;
  /// Fields that such a search takes no notice of are not there to be set.
  void offerFor(const SessionConfig& config);
  /// Of a GPU rules mean something else.
  void setGpu(bool isGpu);
  /// What is wrong with single fields, and what is known of them; `config` is what they say.
  void tell(const SessionConfig& config, const std::optional<SearchSurvey>& survey);
  /// The first of what the user has to mend; empty when nothing is.
  QString mistake(const SessionConfig& config, const std::optional<SearchSurvey>& survey) const;
  void restyle();

  PretrainedForm* pretrained() const { return pretrained_; }

 Q_SIGNALS:
  /// Another value in a field, by the user.
  void edited();

 private:
  void buildChoices();
  void buildSizes();
  void buildMeasuring();
  void buildParts();
  void put(int row, int column, const QString& text, QWidget* field, int span = 1);
  void fieldEdited();
  QString evaluatorProblem(const SessionConfig& config) const;

  bool filling_ = false;
  QGridLayout* grid_;
  QComboBox *space_, *policy_, *model_, *features_, *rules_, *scheduler_, *evaluator_, *ahead_,
      *alternatives_;
  QSpinBox *plan_, *chains_;
  QDoubleSpinBox *epsilon_, *diversity_;
  QCheckBox* tf32_;
  QLabel* evaluatorProblem_;
  HistoryForm* history_;
  PretrainedForm* pretrained_;
  std::array<SearchPart*, 4> parts_; // these and the others that have several fields
};

} // namespace nestwright::ui
