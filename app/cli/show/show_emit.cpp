#include "app/cli/show/show_emit.h"

#include "app/cli/output.h"
#include "core/record/store/record_task.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/output_file.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace nestwright::cli {

void addEmitOptions(CLI::App& verb, EmitOptions& options) {
  CLI::Option* form = verb.add_option_function<std::string>(
      "--emit", [&options](const std::string& name) { options.form = emitFormFromName(name); },
      "The program as a file of its own, with how to compile and call it at the top: c (C that "
      "people read, for GCC and Clang), ll (LLVM IR), s (assembly) or o (the tuned kernel as an "
      "object, with -o); of a GPU's record cu (CUDA C)");
  form->check(CLI::IsMember(emitFormNames()));
  verb.add_option("-o,--output", options.output, "The file to write (default: standard output)")
      ->needs(form);
  verb.add_flag("--force", options.force, "Replace the file of -o")->needs(form);
}

void showEmitted(const std::string& database, RowId id, const EmitOptions& options) {
  const bool toFile = !options.output.empty() && !isStandardOutput(options.output);
  if (*options.form == EmitForm::Object && !toFile)
    throw UsageError("an object is written into a file: add -o FILE.o");
  const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
  const EmittedProgram program = emitRecord(store, requiredRecord(store, id), *options.form);
  if (!toFile) {
    cli::print("{}", program.bytes);
    return;
  }
  writeWhole(options.output, "emit", program.bytes, options.force);
  cli::print("{}\n{}: {}\n", program.interface, options.output,
             formatBytes(static_cast<double>(program.bytes.size())));
}

} // namespace nestwright::cli
