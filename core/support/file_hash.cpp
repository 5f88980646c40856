#include "core/support/file_hash.h"

#include "core/support/error.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <memory>
#include <vector>

namespace nestwright {

std::string hashHexOfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  NW_ASSERT(state, "no memory for a hash");
  XXH3_128bits_reset(state.get());
  std::vector<char> block(1 << 20);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    XXH3_128bits_update(state.get(), block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof()) throw InputError(fmt::format("{} cannot be read", path));
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace nestwright
