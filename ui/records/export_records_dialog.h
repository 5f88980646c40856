#pragma once
/// \file Which records to write, in which form, and where to.

#include "ui/records/export_records_job.h"
#include "ui/records/record_listing.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QVBoxLayout;

namespace nestwright::ui {

class Document;

class ExportRecordsDialog : public QDialog {
  Q_OBJECT
 public:
  /// What the table of records lists now, and which of them are selected.
  ExportRecordsDialog(const Document& document, RecordListing listing, SelectedRecords selected,
                      QWidget* parent = nullptr);
  RecordsToExport choice() const;
  /// Empty when the dialog can be accepted, else what has to be done.
  QString problem() const;

 private:
  void buildScope(QVBoxLayout* layout);
  void buildForm(QVBoxLayout* layout);
  void chooseFile();
  void suggestFile();
  void validate();
  ExportFormat format() const;

  const Document& document_;
  RecordListing listing_;
  SelectedRecords selected_;
  QRadioButton *listed_, *some_, *everything_;
  QComboBox* format_;
  QLineEdit* path_;
  QCheckBox* onlyKnownToTvm_;
  QLabel *explanation_, *problem_;
  QPushButton* accept_;
};

} // namespace nestwright::ui
