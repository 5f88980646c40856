#include "ui/document/import/importer.h"

#include "core/session/insight/merge_document.h"
#include "core/session/run/row_contents.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <limits>
#include <memory>

namespace nestwright::ui {
namespace {

std::vector<std::string> paths(const QStringList& files) {
  std::vector<std::string> list;
  for (const QString& file : files)
    list.push_back(file.toStdString());
  return list;
}

bool hasEnding(const QString& file, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) {
    return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive);
  });
}

/// The DAG text of the same name beside a log: "conv.dag" beside "conv.json.gz".
QString dagBeside(const QString& log) {
  const QFileInfo info(log);
  for (const QString& stem : {info.completeBaseName(), info.baseName()})
    if (QString dag = info.absoluteDir().filePath(stem + QLatin1String(".dag"));
        QFileInfo::exists(dag))
      return dag;
  return {};
}

QStringList existing(const std::vector<std::string>& names) {
  QStringList files;
  for (const std::string& name : names)
    if (QFileInfo::exists(qs(name))) files.append(qs(name));
  return files;
}

} // namespace

ImportWish importWish(const QStringList& files) {
  ImportWish wish;
  for (const QString& file : files)
    (hasEnding(file, {".dag"})    ? wish.dags
     : hasEnding(file, {".nwdb"}) ? wish.documents
                                  : wish.logs)
        .append(QFileInfo(file).absoluteFilePath());
  for (const QString& log : wish.logs)
    if (const QString dag = QFileInfo(log).isFile() ? dagBeside(log) : QString();
        !dag.isEmpty() && !wish.dags.contains(dag))
      wish.dags.append(dag);
  return wish;
}

bool looksLikeLogs(const QStringList& files) {
  bool logs = false;
  for (const QString& file : files) {
    const bool log = QFileInfo(file).isDir() ||
                     hasEnding(file, {".json", ".jsonl", ".log", ".gz", ".zst", ".xz"});
    if (!log && !hasEnding(file, {".dag"})) return false;
    logs |= log;
  }
  return logs;
}

std::optional<ImportWish> unfinishedImport(const std::vector<SessionRow>& sessions,
                                           const QString& document) {
  for (auto session = sessions.rbegin(); session != sessions.rend(); ++session) {
    if (session->status == SessionStatus::Finished) continue;
    if (!isImport(*session)) continue;
    const ImportedFiles files = importedFiles(*session);
    ImportWish wish{document, existing(files.logs), existing(files.dags), {}};
    // With other logs it would be another import.
    if (std::size_t(wish.logs.size()) == files.logs.size() && !wish.isEmpty()) return wish;
  }
  return std::nullopt;
}

Importer::Importer(QObject* parent) : QObject(parent) {}

Importer::~Importer() {
  stop_ = true;
}

bool Importer::isActive() const {
  return state_ == ImportState::Waiting || state_ == ImportState::Running ||
         state_ == ImportState::Stopping;
}

bool Importer::begin(const ImportWish& wanted) {
  const ImportWish wish = wanted; // may be our own
  if (isActive() || wish.isEmpty() || wish.database.isEmpty()) return false;
  wish_ = wish;
  progress_ = {};
  progress_.secondsLeft = std::numeric_limits<double>::infinity();
  merging_ = {};
  report_ = {};
  mergedRecords_ = 0;
  error_.clear();
  stop_ = false;
  const auto report = std::make_shared<ImportReport>();
  work_.run(
      this, [this, report] { run(*report); },
      [this, report](const QString& error) { end(*report, error); });
  setState(ImportState::Running);
  return true;
}

void Importer::stop() {
  if (!isActive()) return;
  stop_ = true;
  setState(ImportState::Stopping);
}

void Importer::setState(ImportState state) {
  state_ = state;
  Q_EMIT changed();
}

/// Runs `f` on the GUI thread, unless the importer goes first.
template <class F>
void Importer::onGui(F f) {
  QMetaObject::invokeMethod(this, std::move(f), Qt::QueuedConnection);
}

void Importer::tell(const ImportProgress& progress) {
  onGui([this, progress] {
    progress_ = progress;
    if (state_ == ImportState::Stopping) return;
    setState(progress.waitingFor.empty() ? ImportState::Running : ImportState::Waiting);
  });
}

void Importer::mergeDocuments() {
  for (const QString& document : wish_.documents) {
    const MergeReport report = mergeDocument(
        wish_.database.toStdString(), document.toStdString(), stop_,
        [this](const MergeProgress& progress) {
          onGui([this, progress] {
            merging_ = progress;
            Q_EMIT changed();
          });
        },
        [this](const std::string& session) {
          ImportProgress waiting;
          waiting.waitingFor = session;
          tell(waiting);
        });
    onGui([this, report] { mergedRecords_ += report.records; });
    if (stop_) return;
  }
}

void Importer::run(ImportReport& report) {
  mergeDocuments();
  if (!wish_.logs.isEmpty() && !stop_) {
    LogImportOptions options;
    options.database = wish_.database.toStdString();
    options.inputs = paths(wish_.logs);
    options.dags = paths(wish_.dags);
    report = importLogs(options, stop_, [this](const ImportProgress& progress) { tell(progress); });
  }
  report.cancelled |= stop_.load();
}

void Importer::end(const ImportReport& report, const QString& error) {
  report_ = report;
  progress_.session = report_.session != 0 ? report_.session : progress_.session;
  progress_.lines = report_.lines, progress_.records = progress_.stored = report_.records;
  progress_.duplicates = report_.duplicates, progress_.broken = report_.broken;
  progress_.waitingFor.clear();
  error_ = error;
  setState(!error.isEmpty()    ? ImportState::Failed
           : report_.cancelled ? ImportState::Stopped
                               : ImportState::Finished);
  Q_EMIT ended();
}

double Importer::done() const {
  if (state_ == ImportState::Finished) return 1;
  if (progress_.bytes > 0) return double(progress_.bytesDone) / double(progress_.bytes);
  return merging_.records > 0 ? double(merging_.recordsDone) / double(merging_.records) : 0;
}

QString Importer::resultText() const {
  QStringList parts;
  if (!wish_.logs.isEmpty() || mergedRecords_ == 0)
    parts.append(tr("%1 records").arg(countText(progress_.records)));
  if (mergedRecords_ > 0)
    parts.append(tr("%1 records of other documents").arg(countText(mergedRecords_)));
  if (progress_.duplicates > 0)
    parts.append(tr("%1 duplicates left out").arg(countText(progress_.duplicates)));
  if (progress_.broken > 0) parts.append(tr("%1 broken lines").arg(countText(progress_.broken)));
  if (!isActive() && report_.before > 0)
    parts.append(tr("%1 logs were imported before").arg(countText(std::int64_t(report_.before))));
  return parts.join(QStringLiteral(", "));
}

} // namespace nestwright::ui

#include "moc_importer.cpp"
