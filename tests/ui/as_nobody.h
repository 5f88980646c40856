#pragma once
/// \file A folder and a file that this process cannot write: where it is root, which may write
/// everything, it is nobody meanwhile.

#include <sys/stat.h>
#include <unistd.h>

#include <QByteArray>
#include <QFile>
#include <QString>

namespace nestwright::ui::testing {

class UnwritableByNobody {
 public:
  /// Until the end of this object they have these permissions.
  UnwritableByNobody(const QString& folder, int ofFolder, const QString& file, int ofFile)
      : folder_(QFile::encodeName(folder)), file_(QFile::encodeName(file)) {
    chmod(file_, mode_t(ofFile));
    chmod(folder_, mode_t(ofFolder));
    if (geteuid() == 0) became_ = setresuid(kNobody, kNobody, 0) == 0;
  }
  ~UnwritableByNobody() {
    if (became_ && setresuid(0, 0, 0) != 0) _exit(1); // no other test is to run as nobody
    chmod(folder_, 0700);
    chmod(file_, 0600);
  }
  UnwritableByNobody(const UnwritableByNobody&) = delete;
  UnwritableByNobody& operator=(const UnwritableByNobody&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  QByteArray folder_, file_;
  bool became_ = false;
};

} // namespace nestwright::ui::testing
