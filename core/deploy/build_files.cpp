#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"
#include "core/support/version.h"

namespace nestwright {

namespace {

constexpr const char* kCMake = R"(# @NAME@, written by @VERSION@.
# @LICENCE@
#
#   find_package(@NAME@ REQUIRED PATHS this/folder)
#   target_link_libraries(app @NAME@::@NAME@)   # or @NAME@::static
get_filename_component(_@NAME@_folder "${CMAKE_CURRENT_LIST_DIR}" ABSOLUTE)
if(NOT TARGET @NAME@::@NAME@)
  add_library(@NAME@::@NAME@ SHARED IMPORTED)
  set_target_properties(@NAME@::@NAME@ PROPERTIES
    IMPORTED_LOCATION "${_@NAME@_folder}/lib@NAME@.so"
    IMPORTED_SONAME "lib@NAME@.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_@NAME@_folder}")
  add_library(@NAME@::static STATIC IMPORTED)
  set_target_properties(@NAME@::static PROPERTIES
    IMPORTED_LOCATION "${_@NAME@_folder}/lib@NAME@.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_@NAME@_folder}"
    INTERFACE_LINK_LIBRARIES "@LIBRARIES@")
endif()
unset(_@NAME@_folder)
)";

constexpr const char* kPkgConfig = R"(# @LICENCE@
prefix=${pcfiledir}

Name: @NAME@
Description: @DESCRIPTION@
Version: 1
Libs: -L${prefix} -l@NAME@
Libs.private: @PRIVATE@
Cflags: -I${prefix}
)";

std::map<std::string, std::string> valuesOf(const Library& library) {
  const bool gomp = library.threading() == Threading::OpenMp;
  std::string description = library.deployment.subject;
  for (char& c : description)
    if (c == '\n' || c == '\r' || c == '$' || c == '#') c = ' ';
  return {{"NAME", library.name()},
          {"VERSION", versionText()},
          {"LICENCE", outputLicence()},
          {"DESCRIPTION", description},
          {"LIBRARIES", gomp ? "gomp;m;dl" : "m;dl"},
          {"PRIVATE", gomp ? "-lgomp -lm -ldl" : "-lm -ldl"}};
}

} // namespace

std::string cmakeText(const Library& library) {
  return filled(kCMake, valuesOf(library));
}

std::string pkgConfigText(const Library& library) {
  return filled(kPkgConfig, valuesOf(library));
}

} // namespace nestwright
