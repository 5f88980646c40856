#include "ui/records/export_records_dialog.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

QString endingOf(ExportFormat format) {
  return format == ExportFormat::Csv   ? QStringLiteral(".csv")
         : format == ExportFormat::Tvm ? QStringLiteral(".json")
                                       : QString();
}

} // namespace

ExportRecordsDialog::ExportRecordsDialog(const Document& document, RecordListing listing,
                                         SelectedRecords selected, QWidget* parent)
    : QDialog(parent), document_(document), listing_(std::move(listing)),
      selected_(std::move(selected)) {
  setWindowTitle(tr("Export Records"));
  std::ranges::sort(selected_.records);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(10);
  buildScope(layout);
  buildForm(layout);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  accept_ = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
  accept_->setDefault(true);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  suggestFile();
  validate();
}

void ExportRecordsDialog::buildScope(QVBoxLayout* layout) {
  auto* title = new QLabel(tr("Which records"), this);
  layout->addWidget(title);
  QString what = listing_.filter.empty()
                     ? tr("What the table of records lists")
                     : tr("What the filter finds: %1").arg(qs(print(listing_.filter)));
  if (listing_.task != 0 && !listing_.filter.has(FilterField::Task))
    if (const TaskEntry* task = document_.session().task(listing_.task))
      what += tr(", of the task %1").arg(taskTitle(task->row.name));
  listed_ = new QRadioButton(what, this);
  some_ = new QRadioButton(tr("The %1 selected records").arg(countText(selected_.rows)), this);
  everything_ = new QRadioButton(tr("Everything in the document, all sessions"), this);
  listed_->setToolTip(tr("All records that match, not only those in sight."));
  some_->setToolTip(tr("The rows that are selected in the table of records."));
  everything_->setToolTip(tr("Whatever is filtered or selected."));
  for (QRadioButton* button : {listed_, some_, everything_})
    layout->addWidget(button);
  enableUnless(some_, selected_.rows == 0 ? tr("No row is selected.") : whyNotNamed(selected_));
  (selected_.rows > 1 && whyNot(some_).isEmpty() ? some_ : listed_)->setChecked(true);
}

void ExportRecordsDialog::buildForm(QVBoxLayout* layout) {
  format_ = new QComboBox(this);
  format_->addItem(tr("TVM JSON lines"), int(ExportFormat::Tvm));
  format_->addItem(tr("Table (CSV)"), int(ExportFormat::Csv));
  format_->addItem(tr("TenSet tree, a file for each task"), int(ExportFormat::TenSet));
  format_->setAccessibleName(tr("Form"));
  format_->setToolTip(tr("What the form is good for is said below."));
  path_ = new QLineEdit(this);
  path_->setToolTip(tr("Where to write; the TenSet tree takes a folder."));
  path_->setMinimumWidth(fontMetrics().averageCharWidth() * 56);
  path_->setAccessibleName(tr("File or folder"));
  auto* choose = new QPushButton(tr("Choose …"), this);
  choose->setToolTip(tr("Chooses the file or the folder to write."));
  auto* row = new QHBoxLayout;
  row->addWidget(path_, 1);
  row->addWidget(choose);
  auto* form = new QFormLayout;
  form->addRow(tr("Form"), format_);
  form->addRow(tr("To"), row);
  layout->addLayout(form);
  onlyKnownToTvm_ = new QCheckBox(tr("Leave out programs that TVM does not know"), this);
  onlyKnownToTvm_->setToolTip(
      tr("Programs for a GPU may have pragmas of our own, such as pipeline_stages. TVM's process "
         "ends at a pragma that it does not know."));
  layout->addWidget(onlyKnownToTvm_);
  explanation_ = new QLabel(this);
  explanation_->setWordWrap(true);
  keepTextColour(explanation_, &Colours::dim);
  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  keepTextColour(problem_, &Colours::failed);
  layout->addWidget(explanation_);
  layout->addWidget(problem_);
  connect(format_, &QComboBox::currentIndexChanged, this, [this] {
    suggestFile();
    validate();
  });
  connect(path_, &QLineEdit::textChanged, this, &ExportRecordsDialog::validate);
  connect(choose, &QPushButton::clicked, this, &ExportRecordsDialog::chooseFile);
}

ExportFormat ExportRecordsDialog::format() const {
  return ExportFormat(format_->currentData().toInt());
}

void ExportRecordsDialog::suggestFile() {
  path_->setText(Settings::folder() + QLatin1Char('/') + document_.file().title() +
                 QStringLiteral("-records") + endingOf(format()));
}

void ExportRecordsDialog::chooseFile() {
  const QString file =
      format() == ExportFormat::TenSet
          ? QFileDialog::getExistingDirectory(this, tr("Folder for the Tree"), Settings::folder())
          : QFileDialog::getSaveFileName(this, tr("File for the Records"), path_->text(),
                                         format() == ExportFormat::Csv
                                             ? tr("Tables (*.csv)")
                                             : tr("JSON lines (*.json *.jsonl)"));
  if (!file.isEmpty()) path_->setText(file);
}

QString ExportRecordsDialog::problem() const {
  const QFileInfo file(path_->text());
  if (path_->text().trimmed().isEmpty()) return tr("Name the file to write.");
  if (!file.absoluteDir().exists()) return tr("There is no folder %1.").arg(file.absolutePath());
  if (format() != ExportFormat::TenSet && file.isDir())
    return tr("%1 is a folder. Name a file in it.").arg(path_->text());
  if (QFileInfo(document_.file().path()) == file) return tr("That is the document itself.");
  return {};
}

void ExportRecordsDialog::validate() {
  const bool tree = format() == ExportFormat::TenSet;
  const bool table = format() == ExportFormat::Csv;
  QString text = table  ? tr("One row a record, times in seconds, with where it comes from in the "
                              "first lines, which begin with #.")
                 : tree ? tr("measure_records/PLATFORM/(TASK,KIND).json in this folder, as TenSet "
                             "has them.")
                        : tr("As TVM's auto-scheduler writes its logs; importing them gives the "
                             "same records.");
  enableUnless(onlyKnownToTvm_,
               table ? tr("A table has every record, whatever TVM knows.") : QString());
  if (!tree && problem().isEmpty() && QFileInfo::exists(path_->text()))
    text += QLatin1Char(' ') + tr("The file is there and will be replaced.");
  explanation_->setText(text);
  problem_->setText(problem());
  problem_->setVisible(!problem().isEmpty());
  enableUnless(accept_, problem());
}

RecordsToExport ExportRecordsDialog::choice() const {
  RecordsToExport what;
  what.document = document_.file().path();
  what.format = format();
  what.output = QFileInfo(path_->text()).absoluteFilePath();
  what.onlyKnownToTvm = onlyKnownToTvm_->isChecked() && format() != ExportFormat::Csv;
  if (everything_->isChecked()) {
    what.query.forgotten = RecordQuery::Forgotten::Without;
    what.title = tr("All records");
  } else {
    what.query = queryOf(document_, listing_);
    what.title =
        listing_.filter.empty()
            ? tr("Records of %1").arg(qs(document_.session().contents().network))
            : tr("Records of %1 with %2")
                  .arg(qs(document_.session().contents().network), qs(print(listing_.filter)));
  }
  if (some_->isChecked()) {
    what.records = selected_.records;
    what.query = {};
    what.title = tr("Selected records of %1").arg(qs(document_.session().contents().network));
  }
  return what;
}

} // namespace nestwright::ui

#include "moc_export_records_dialog.cpp"
