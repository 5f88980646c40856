#include "ui/window/deploy/deployed_page.h"

#include "core/deploy/deploy_library.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/window/deploy/deploy_contents.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

/// What each of the files is for, for those who see them for the first time.
QString purposeOf(const QString& file) {
  struct Purpose {
    const char* ending;
    const char* words;
  };
  static constexpr Purpose kPurposes[] = {
      {"_onnxruntime.so",
       QT_TRANSLATE_NOOP("Workbench", "the same as an operator of ONNX Runtime")},
      {".so", QT_TRANSLATE_NOOP("Workbench", "the shared library")},
      {".a", QT_TRANSLATE_NOOP("Workbench", "the static library")},
      {".h", QT_TRANSLATE_NOOP("Workbench", "the interface, for C and C++")},
      {".weights", QT_TRANSLATE_NOOP("Workbench", "the constants, which the library maps")},
      {"main.c", QT_TRANSLATE_NOOP("Workbench", "an example, which tells the median time")},
      {".py", QT_TRANSLATE_NOOP("Workbench", "the same for NumPy and PyTorch")},
      {"model.onnx", QT_TRANSLATE_NOOP("Workbench", "the ONNX file, which calls that operator")},
      {".cmake", QT_TRANSLATE_NOOP("Workbench", "for CMake")},
      {".pc", QT_TRANSLATE_NOOP("Workbench", "for pkg-config")},
      {".json", QT_TRANSLATE_NOOP("Workbench", "which record runs each task, and what it needs")},
  };
  for (const Purpose& purpose : kPurposes)
    if (file.endsWith(QLatin1String(purpose.ending))) return tr(purpose.words);
  return {};
}

} // namespace

DeployedPage::DeployedPage(QWidget* parent)
    : QWidget(parent), title_(sentenceLabel(this)), coverage_(sentenceLabel(this)),
      files_(new QLabel(this)), command_(new QLineEdit(this)) {
  files_->setTextFormat(Qt::RichText);
  files_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  command_->setReadOnly(true);
  command_->setAccessibleName(tr("Try it"));
  command_->setToolTip(tr("Builds the example beside the library, and runs it."));
  auto* copy = new QPushButton(tr("&Copy"), this);
  copy->setToolTip(tr("The command to the clipboard."));
  auto* open = new QPushButton(tr("&Open Folder"), this);
  open->setToolTip(tr("Shows the folder in the desktop's file manager."));
  keepTextColour(coverage_, &Colours::dim);
  auto* tryIt = new QLabel(tr("&Try it"), this);
  tryIt->setBuddy(command_);
  auto* row = new QHBoxLayout;
  row->addWidget(tryIt);
  row->addWidget(command_, 1);
  row->addWidget(copy);
  auto* first = new QHBoxLayout;
  first->addWidget(title_, 1);
  first->addWidget(open, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->setSpacing(12);
  layout->addLayout(first);
  layout->addWidget(coverage_);
  layout->addLayout(row);
  layout->addWidget(files_);
  layout->addStretch(1);
  connect(copy, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(command_->text()); });
  connect(open, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_)); });
  connect(&Theme::instance(), &Theme::changed, this, &DeployedPage::restyle);
  restyle();
}

void DeployedPage::restyle() {
  command_->setFont(codeFont());
  QFont large = font();
  large.setBold(true);
  title_->setFont(large);
}

void DeployedPage::show(const DeployedLibrary& library) {
  const WrittenLibrary& written = library.written;
  const std::string& name = library.deployment.options.name;
  folder_ = qs(library.folder);
  title_->setText(tr("%1 was written: %2 files, %3.")
                      .arg(folder_, QString::number(written.files.size()),
                           bytesText(static_cast<double>(written.bytes))));
  coverage_->setText(coverageSentences(library.deployment));
  QString rows;
  for (const std::string& file : written.files)
    rows += QStringLiteral("<tr><td>%1</td><td align=right>%2</td><td>%3</td></tr>")
                .arg(qs(file).toHtmlEscaped(),
                     bytesText(double(QFileInfo(QDir(folder_), qs(file)).size())),
                     purposeOf(qs(file)).toHtmlEscaped());
  files_->setText(QStringLiteral("<table cellpadding=3>%1</table>").arg(rows));
  command_->setText(qs(exampleCommand(library.folder, name)));
  command_->setCursorPosition(0);
}

} // namespace nestwright::ui

#include "moc_deployed_page.cpp"
