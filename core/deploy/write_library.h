#pragma once
/// \file A library as files: compiled and linked by the C compiler that is found.

#include "core/deploy/library.h"
#include "core/network/onnx/custom_op_model.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Programs that compile, link and archive what deploy writes.
struct CTools {
  std::string compiler, archiver;      // paths; empty: not found
  std::string version;                 // the first line of what the compiler says of itself
  std::vector<std::string> flags = {}; // that the person adds for it, behind ours
};
/// $CC and $AR, else cc, gcc or clang, and ar, where the shell would find them; the words of
/// $CFLAGS. Throws UsageError where a quote in these is not closed.
CTools findCTools();
/// What is missing and how to get it, in a sentence; empty when nothing is.
std::string missingTools(const CTools& tools);
/// findCTools(). Throws SystemError when something is missing.
CTools requiredCTools();

struct WrittenLibrary {
  nlohmann::json manifest;                   // MANIFEST.json
  std::vector<std::string> files;            // names in the folder, sorted
  std::int64_t bytes = 0;                    // of all of them
  std::optional<CustomOp> onnxOperator = {}; // where the options want one
};

/// Writes libNAME.so, libNAME.a, NAME.h, main.c, NAME.py, NAME-config.cmake, NAME.pc, MANIFEST.json
/// and, unless it has no constants or they are embedded, NAME.weights into the empty folder; with
/// the option for ONNX Runtime libNAME_onnxruntime.so and model.onnx, too. Throws
/// SystemError that has the compiler's text, or says what cannot be written, and what `watch`
/// throws.
WrittenLibrary writeLibrary(const Library& library, const CTools& tools, const std::string& folder,
                            const DeployWatch& watch = {});

/// What is at the path that a library is to have.
enum class PlaceTaken : std::uint8_t {
  Free,    // nothing
  Library, // a folder that deploy wrote
  Other,   // what deploy never replaces
};
PlaceTaken placeTaken(const std::string& folder);

/// Throws InputError when there is something at this path that deploy may not replace: anything
/// without `force`, and with it all but folders that deploy wrote.
void requirePlace(const std::string& folder, bool force);

} // namespace nestwright
