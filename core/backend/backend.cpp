#include "core/backend/backend.h"

#include "core/support/error.h"

#include <fmt/ranges.h>

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

CodeForm shownForm(const Backend& backend, CodeForm form) {
  const std::vector<CodeText> texts = backend.texts();
  const auto found = std::ranges::find(texts, form, &CodeText::form);
  if (found == texts.end()) {
    std::vector<const char*> names;
    for (const CodeText& text : texts)
      names.push_back(name(text.form));
    throw UsageError(fmt::format("the programs of {} have no code as {}; there is: {}",
                                 backend.name(), name(form), fmt::join(names, ", ")));
  }
  if (!found->missing.empty())
    throw SystemError(fmt::format("{} cannot be shown: {}", found->name, found->missing));
  return form;
}

} // namespace nestwright
