#include "ui/records/reproducer_saver.h"

#include "core/session/run/again/reproducer.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/settings.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QFileDialog>

#include <chrono>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr std::chrono::seconds kLongest{60};

} // namespace

ReproducerSaver::ReproducerSaver(Document& document, std::function<RowId()> current,
                                 QObject* parent)
    : QObject(parent), document_(document), current_(std::move(current)),
      action_(new QAction(tr("Save Re&producer …"), this)) {
  action_->setToolTip(
      tr("Writes the failure into a file of its own, with as few steps as still fail "
         "in the same way; nestwright reproduce shows it again."));
  connect(action_, &QAction::triggered, this, &ReproducerSaver::ask);
  allow(false);
}

void ReproducerSaver::allow(bool failed) {
  enableUnless(action_, background_.isBusy()                 ? tr("A failure is being shortened.")
                        : !document_.whyNotReady().isEmpty() ? document_.whyNotReady()
                        : !failed                            ? tr("The record did not fail.")
                        : document_.isTuned()
                            ? tr("A session is running, whose measurements this would disturb.")
                            : QString());
}

void ReproducerSaver::ask() {
  const RowId record = current_();
  const QString path =
      QFileDialog::getSaveFileName(QApplication::activeWindow(), tr("Save Reproducer"),
                                   tr("record-%1.json").arg(record), tr("Reproducers (*.json)"));
  if (!path.isEmpty() && record != 0) save(record, path);
}

void ReproducerSaver::save(RowId record, const QString& path) {
  enableUnless(action_, tr("A failure is being shortened."));
  background_.ask<ShortReproducer>(
      [database = document_.file().path().toStdString(), record, file = path.toStdString(),
       command = Settings::workerCommand().toStdString(), &stop = stop_](const Job& job) {
        const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
        const Reproducer recorded = reproducerOf(store, record);
        const MeasureOne measure =
            measureInWorkers(workerLaunchFromText(command), recorded.target, &stop);
        const auto start = std::chrono::steady_clock::now();
        ShortReproducer made = shortened(recorded, measure, [&] {
          return !job.isStopped() && std::chrono::steady_clock::now() - start < kLongest;
        });
        job.check();
        QFile::remove(qs(file)); // the dialog asked
        writeReproducer(file, made.reproducer);
        return made;
      },
      [this, path](const ShortReproducer& made) {
        allow(true);
        Q_EMIT saved(tr("%1 shows the failure with %2 of %3 steps")
                         .arg(path)
                         .arg(made.reproducer.steps.size())
                         .arg(made.reproducer.recordedSteps));
      },
      [this](const QString& why) {
        allow(true);
        document_.notices().warn(tr("No reproducer was written: %1").arg(why));
      });
}

} // namespace nestwright::ui

#include "moc_reproducer_saver.cpp"
