#pragma once
/// \file Which records' programs to measure again, and how. It counts what it will measure and says
/// what it cannot, before anything begins.

#include "core/session/run/again/measure_again.h"
#include "ui/document/reading/file_asking.h"
#include "ui/records/record_listing.h"
#include "ui/window/new_session/target_form.h"

#include <QDialog>

#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QRadioButton;
class QSpinBox;
class QVBoxLayout;

namespace nestwright::ui {

class Document;

class MeasureAgainDialog : public QDialog {
  Q_OBJECT
 public:
  /// What the table of records lists now, and which of them are selected.
  MeasureAgainDialog(const Document& document, RecordListing listing, SelectedRecords selected,
                     QWidget* parent = nullptr, TargetForm::Survey survey = surveyTarget);

  AgainWish wish() const;
  /// Empty when the dialog can be accepted, else what has to be done; while it counts, too.
  QString problem() const;
  /// How many it will measure, once they are counted.
  const std::optional<AgainSession>& counted() const { return counted_; }

  TargetForm* target() const { return target_; }
  QLabel* note() const { return note_; }

 private:
  void buildScope(QVBoxLayout* layout);
  void buildForm(QVBoxLayout* layout);
  void count();
  void tell();
  void restyle();
  QString evaluatorProblem() const;

  const Document& document_;
  RecordListing listing_;
  SelectedRecords selected_;
  std::optional<AgainSession> counted_;
  QString failure_; // of counting
  QRadioButton *listed_, *some_, *everything_;
  TargetForm* target_;
  QSpinBox *threads_, *limit_;
  QComboBox* evaluator_;
  QCheckBox* anew_;
  QLabel *note_, *problem_;
  QPushButton* accept_;
  StoreAsking counting_; // last: its answer uses the others
};

} // namespace nestwright::ui
