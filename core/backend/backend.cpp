#include "core/backend/backend.h"

#include "core/support/error.h"

namespace nestwright {

std::unique_ptr<Kernel> Backend::load(const KernelArtifact& artifact) const {
  throw UsageError(fmt::format("the kernel {} runs on a device of {}, which has to load it",
                               artifact.entry, name()));
}

} // namespace nestwright
