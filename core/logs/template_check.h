#pragma once
/// \file Whether the configurations of AutoTVM's logs are what they say they are: an index is an id
/// within one version of a template's space, and its entities are the truth.

#include "core/record/format/import_rows.h"
#include "core/template/template.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Of configurations that were looked at.
struct TemplateCounts {
  std::int64_t configurations = 0; // of templates that are known
  std::int64_t agree = 0;          // of them: the index is that of the entities in some version
  std::int64_t unknown = 0;        // of templates that are not known
  /// The first that do not agree, in a sentence each.
  std::vector<std::string> disagreements;
};

class TemplateCheck {
 public:
  /// A record with a configuration.
  void add(const ImportedTask& task, const ImportedRecord& record);
  const TemplateCounts& counts() const { return counts_; }

 private:
  /// The spaces of a task in kTemplateVersions; none where its template is not known, or takes
  /// other arguments.
  struct Spaces {
    bool isKnown = false;
    std::string problem; // with the arguments; empty where there is none
    std::vector<ConfigSpace> ofVersion;
  };

  const Spaces& spacesOf(const std::string& taskKey);
  void disagree(const std::string& why);

  TemplateCounts counts_;
  std::map<std::string, Spaces> spaces_; // by task key
};

} // namespace nestwright
