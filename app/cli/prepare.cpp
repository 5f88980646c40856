#include "app/cli/prepare.h"

#include "app/cli/output.h"
#include "core/record/file/generation_keeper.h"

namespace nestwright::cli {

void prepareForWriting(const std::string& database, OpenMode mode) {
  if (const auto log = setForeignLogAside(database, mode))
    cli::print(stderr, "note: {}\n", describe(*log));
}

} // namespace nestwright::cli
