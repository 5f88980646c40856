#pragma once
/// \file A record's program as a file that leaves Nestwright: source, assembly, or object code.

#include "core/record/rows/record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

class RecordStore;

enum class EmitForm : std::uint8_t {
  C,        // C11 with GNU's extensions, of a processor's program
  LlvmIr,   // what the tuned kernel is compiled from
  Assembly, // of the tuned kernel
  Object,   // the tuned kernel itself, relocatable
  CudaC,    // of a GPU's program
};

/// "c", "ll", "s", "o", "cu".
const char* name(EmitForm form);
std::vector<std::string> emitFormNames();
/// Throws UsageError that lists the names.
EmitForm emitFormFromName(std::string_view name);

struct EmittedProgram {
  std::string bytes;     // of the file; all but an object is text
  std::string interface; // what it has to be called with, in lines; in texts it stands at the top
};

/// The program of a record of the store, lowered and compiled as it was measured; its function is
/// named after the task. Throws InputError for a task that nobody defined, a form that its target
/// does not have, and a type that C does not have; IllegalSchedule and Error as lower() and
/// Backend::compile() do.
EmittedProgram emitRecord(const RecordStore& store, const Record& record, EmitForm form);

} // namespace nestwright
