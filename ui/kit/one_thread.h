#pragma once
/// \file A thread of one's own, begun by the first thing to do.

#include <QThreadPool>

namespace nestwright::ui {

/// Things are done in the order in which they are asked for, all on the same thread: what is opened
/// on it is used on it alone. Its end waits for them.
class OneThread : public QThreadPool {
 public:
  OneThread() {
    setMaxThreadCount(1);
    setExpiryTimeout(-1);
  }
};

} // namespace nestwright::ui
