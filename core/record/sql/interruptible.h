#pragma once
/// \file Reading that can be told to stop.

#include "core/record/sql/sqlite.h"

#include <functional>

namespace nestwright::sqlite {

/// While it lives, `goOn` is asked many times a second, in the midst of statements of the
/// connection, too; when it says no, they throw QueryStopped. One at a time per connection. `goOn`
/// must not throw.
class Interruptible {
 public:
  Interruptible(Database& database, std::function<bool()> goOn);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  static int ask(void* self) noexcept;
  Database& database_;
  std::function<bool()> goOn_;
};

} // namespace nestwright::sqlite
