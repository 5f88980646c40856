#include "ui/window/salvage/salvage_command.h"

#include "core/session/insight/salvage_document.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/free_name.h"
#include "ui/document/notices.h"
#include "ui/document/settings.h"
#include "ui/kit/format.h"
#include "ui/kit/message_page.h"
#include "ui/kit/text.h"
#include "ui/window/document_commands.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QProgressDialog>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr std::size_t kLossesTold = 3;

/// A name that is free, beside the damaged file where that can be.
QString suggestedName(const QString& damaged) {
  const QFileInfo info(damaged);
  const QString beside = info.absolutePath();
  const QString stem = QStringLiteral("%1/%2-salvaged")
                           .arg(QFileInfo(beside).isWritable() ? beside : Settings::folder(),
                                info.completeBaseName());
  return freeName(stem, QStringLiteral(".nwdb"));
}

} // namespace

QString salvageText(const SalvageReport& report) {
  QString text = countedText(report.records, SalvageCommand::tr("One record was read"),
                             SalvageCommand::tr("%1 records were read"));
  if (!report.lost)
    text += SalvageCommand::tr("; how many there were is not known.");
  else if (*report.lost == 0)
    text += SalvageCommand::tr(", and none is lost.");
  else
    text += countedText(*report.lost, SalvageCommand::tr(", and one is lost."),
                        SalvageCommand::tr(", and %1 are lost."));
  const std::size_t told = std::min(report.losses.size(), kLossesTold);
  for (std::size_t i = 0; i < told; ++i)
    text += QLatin1Char(' ') + SalvageCommand::tr("Lost: %1.").arg(qs(report.losses[i]));
  if (report.losses.size() > told)
    text += QLatin1Char(' ') + SalvageCommand::tr("`nestwright db salvage` lists all %1 losses.")
                                   .arg(countText(std::int64_t(report.losses.size())));
  for (const std::string& problem : report.problems)
    text += QLatin1Char(' ') + SalvageCommand::tr("It is not sound: %1.").arg(qs(problem));
  return text;
}

SalvageCommand::SalvageCommand(Document& document, MessagePage& page, DocumentCommands& commands,
                               QWidget* window)
    : QObject(window), document_(document), page_(page), commands_(commands), window_(window) {
  connect(&document, &Document::refused, this, &SalvageCommand::offer);
  connect(&document, &Document::stateChanged, this, [this] {
    offer();
    tellOnceOpen();
  });
  connect(&page, &MessagePage::offerTaken, this, &SalvageCommand::ask);
}

/// The page is seen while the document is loading, too.
void SalvageCommand::offer() {
  const bool possible =
      document_.state() != DocumentState::Loading && !document_.damagedFile().isEmpty();
  page_.setOffer(possible ? tr("Salvage What Can Be Read …") : QString());
}

void SalvageCommand::ask() {
  if (work_.isBusy())
    return document_.notices().warn(
        tr("A document is being salvaged. Let that end or cancel it, then salvage another."));
  const QString damaged = document_.damagedFile();
  // A file that is there is never replaced, so there is nothing to confirm.
  QString into = QFileDialog::getSaveFileName(
      window_, tr("Salvage Into a New Document"), suggestedName(damaged),
      tr("Nestwright documents (*.nwdb)"), nullptr, QFileDialog::DontConfirmOverwrite);
  if (into.isEmpty()) return;
  if (QFileInfo(into).suffix().isEmpty()) into += QStringLiteral(".nwdb");
  begin(damaged, into);
}

void SalvageCommand::begin(const QString& damaged, const QString& into) {
  const QString doing = tr("Salvaging %1 …").arg(QFileInfo(damaged).fileName());
  const QPointer progress = new QProgressDialog(doing, tr("Cancel"), 0, 0, window_);
  progress->setAttribute(Qt::WA_DeleteOnClose);
  progress->setMinimumDuration(500);
  // Not work_.cancel(): what was written so far is cleared away before another may begin.
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  connect(progress, &QProgressDialog::canceled, this, [stop] { *stop = true; });
  connect(&work_, &Background::progress, progress, &QProgressDialog::setLabelText);
  work_.ask<SalvageReport>(
      [from = damaged.toStdString(), to = into.toStdString(), stop, doing](const Job& job) {
        return salvageDocument(from, to, *stop, [&](const SalvageProgress& now) {
          if (job.isStopped()) *stop = true; // the window goes
          job.tell(QStringLiteral("%1\n%2").arg(
              doing, countedText(now.rows, tr("One row was read."), tr("%1 rows were read."))));
        });
      },
      [this, damaged, into, progress](const SalvageReport& report) {
        if (progress) progress->close();
        finish(damaged, into, report);
      },
      [this, progress](const QString& why) {
        if (progress) progress->close();
        document_.notices().warn(tr("Nothing was salvaged. %1").arg(why));
      });
}

/// Whether the page still says that this one could not be opened.
bool SalvageCommand::isShown(const QString& damaged) const {
  return !page_.isHidden() && document_.state() != DocumentState::Loading &&
         document_.damagedFile() == damaged;
}

void SalvageCommand::finish(const QString& damaged, const QString& into,
                            const SalvageReport& report) {
  if (report.cancelled) return;
  told_ = tr("%1 was salvaged. %2").arg(QFileInfo(into).fileName(), salvageText(report));
  // It may be opened in a window of its own; in this one, the notice goes with what is here now.
  document_.notices().warn(told_);
  if (!isShown(damaged)) return; // who went on elsewhere meanwhile stays there
  written_ = into;
  commands_.open(into);
}

void SalvageCommand::tellOnceOpen() {
  if (document_.state() != DocumentState::Ready) return;
  if (document_.file().path() == std::exchange(written_, {})) document_.notices().warn(told_);
}

} // namespace nestwright::ui

#include "moc_salvage_command.cpp"
