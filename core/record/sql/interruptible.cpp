#include "core/record/sql/interruptible.h"

#include <sqlite3.h>

namespace nestwright::sqlite {

namespace {

/// Steps of SQLite's machine between two questions; some 100 µs.
constexpr int kStepsBetween = 20'000;

} // namespace

Interruptible::Interruptible(Database& database, std::function<bool()> goOn)
    : database_(database), goOn_(std::move(goOn)) {
  sqlite3_progress_handler(database_.handle(), kStepsBetween, ask, this);
}

Interruptible::~Interruptible() {
  sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
}

int Interruptible::ask(void* self) noexcept {
  return static_cast<Interruptible*>(self)->goOn_() ? 0 : 1;
}

} // namespace nestwright::sqlite
