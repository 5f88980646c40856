#include "core/support/hash.h"
#include "core/support/json_document.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/mutation.h"

namespace nestwright::fuzz {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// With values changed, and mostly with a checksum that is right again, as somebody who means ill
/// makes it.
std::string mutatedManifest(const std::string& text, const std::string& other,
                            const std::string& marker, Random& random) {
  constexpr std::uint64_t kResealed = 2; // of three
  if (random.below(3) >= kResealed)
    return random.below(2) == 0 ? mutatedBytes(text, other, random)
                                : mutatedText(text, marker, random);
  json manifest = mutatedJson(json::parse(text), marker, random);
  if (manifest.is_object()) {
    manifest.erase("checksum");
    manifest["checksum"] = hashHex(documentText(manifest));
  }
  return documentText(manifest);
}

} // namespace

std::vector<Command> libraryMutant(const Seeds& seeds, const Site& site, Random& random) {
  const fs::path& whole = random.pick(seeds.libraries);
  const fs::path& other = random.pick(seeds.libraries);
  const fs::path folder = site.folder / "library";
  fs::copy(whole, folder);
  if (random.below(2) == 0) {
    writeBytes(folder / "MANIFEST.json",
               mutatedManifest(bytesOf(whole / "MANIFEST.json"), bytesOf(other / "MANIFEST.json"),
                               site.marker, random));
    std::vector<Command> commands = {{{seeds.nestwright, "fit", "library"}, {}}};
    constexpr std::uint64_t kReplaced = 4; // one in so many
    if (random.below(kReplaced) == 0)
      commands.push_back({{seeds.nestwright, "deploy", kSubject, "--allow-naive", "--threads",
                           "serial", "-o", "library", "--force"},
                          {}});
    return commands;
  }
  const std::string weights = "net.weights";
  writeBytes(folder / weights,
             random.below(8) == 0
                 ? bytesOf(other / weights)
                 : mutatedBytes(bytesOf(whole / weights), bytesOf(other / weights), random));
  return {{{"library/main", "-r", "1"}, {}}, {{seeds.nestwright, "fit", "library"}, {}}};
}

} // namespace nestwright::fuzz
