#pragma once
/// \file A record's program as a file: `show RECORD --emit c`.

#include "core/deploy/emit_record.h"
#include "core/support/row_id.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace nestwright::cli {

struct EmitOptions {
  std::optional<EmitForm> form;
  std::string output; // empty: standard output
  bool force = false;
};

void addEmitOptions(CLI::App& verb, EmitOptions& options);

/// Writes the program in the form that was asked for. Throws UsageError for an object without a
/// file to write it into, SystemError for a file that is there, and as emitRecord().
void showEmitted(const std::string& database, RowId record, const EmitOptions& options);

} // namespace nestwright::cli
