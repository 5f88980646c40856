#include "core/support/text.h"
#include "tests/fuzz/compressed.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/mutation.h"

#include <fmt/format.h>

namespace nestwright::fuzz {

namespace {

/// Some lines of the log, most of them damaged.
std::string mutatedLog(const std::string& log, const std::string& marker, Random& random) {
  std::string text;
  const std::vector<std::string> lines = splitLines(log);
  for (std::uint64_t count = 1 + random.below(12); count > 0 && !lines.empty(); --count) {
    const std::string& line = random.pick(lines);
    text += (random.below(4) == 0 ? line : mutatedText(line, marker, random)) + "\n";
  }
  return text;
}

} // namespace

std::vector<Command> logMutant(const Seeds& seeds, const Site& site, Random& random) {
  constexpr std::uint64_t kBombs = 150; // one in so many unpacks to much more than it is
  std::string text = mutatedLog(random.pick(seeds.logs), site.marker, random);
  const bool bomb = random.below(kBombs) == 0;
  if (bomb) text += std::string(400 << 20, random.pick(std::string_view("0[{\"\n ")));
  const Packing packing = bomb ? Packing::Gzip : anyPacking(random);
  std::string bytes = packed(std::move(text), packing);
  if (packing != Packing::None && random.below(2) == 0)
    bytes = mutatedBytes(bytes, random.pick(seeds.logs), random);
  const std::string name = fmt::format("mutant.json{}", ending(packing));
  writeBytes(site.folder / name, bytes);
  std::vector<Command> commands = {
      {{seeds.nestwright, "import", "own.nwdb", name, "--no-zoo", "--threads", "1"}, {}}};
  if (random.below(6) == 0) commands.push_back({{seeds.nestwright, "db", "check", "own.nwdb"}, {}});
  if (random.below(6) == 0)
    commands.push_back({{seeds.nestwright, "export", "own.nwdb", "--output", "-"}, {}});
  return commands;
}

} // namespace nestwright::fuzz
