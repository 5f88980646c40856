#include "core/backend/backend.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

std::unique_ptr<Kernel> Backend::load(const KernelArtifact& artifact) const {
  throw UsageError(fmt::format("the kernel {} runs on a device of {}, which has to load it",
                               artifact.entry, name()));
}

CodeForm nearestForm(const Backend& backend) {
  const std::vector<CodeText> texts = backend.texts();
  const auto here = std::find_if(texts.rbegin(), texts.rend(),
                                 [](const CodeText& t) { return t.missing.empty(); });
  NW_ASSERT(here != texts.rend(), "a backend can show the code that it makes");
  return here->form;
}

} // namespace nestwright
