#include "ui/document/file_copy.h"

#include "core/record/file/document_file.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/text.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace nestwright::ui {

FileCopy::~FileCopy() {
  cancel();
}

void FileCopy::cancel() {
  if (cancelled_) *cancelled_ = true;
}

bool FileCopy::begin(const QString& from, const QString& to) {
  if (cancelled_) return false;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  // A thread of its own: a large copy takes minutes, and sessions must start meanwhile.
  sharedThreads()->start(
      [to, from = from.toStdString(), cancelled = cancelled_, self = QPointer<FileCopy>(this)] {
        const auto tell = [&](auto what) {
          QMetaObject::invokeMethod(
              qApp,
              [self, what] {
                if (self) what(*self);
              },
              Qt::QueuedConnection);
        };
        bool written = false;
        QString reason;
        try {
          written = saveCopy(from, to.toStdString(), [&](double done) {
            tell([done](FileCopy& copy) { Q_EMIT copy.progressed(done); });
            return !*cancelled;
          });
        } catch (const std::exception& problem) {
          reason = qs(problem.what());
        }
        tell([to, written, reason](FileCopy& copy) {
          copy.cancelled_.reset();
          Q_EMIT copy.ended(to, written, reason);
        });
      });
  return true;
}

} // namespace nestwright::ui

#include "moc_file_copy.cpp"
