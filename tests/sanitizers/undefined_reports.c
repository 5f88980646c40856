/* Where reports of undefined behaviour go. Beside the address sanitizer, GCC's library takes no notice
   of the option log_path, and what a worker prints is read by its session: preloaded into every
   process of a test, this gives the library the path in $UNDEFINED_REPORTS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_report_path(void) {
  const char* path = getenv("UNDEFINED_REPORTS");
  void* library = dlopen("libubsan.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (path == NULL || library == NULL) return;
  void (*set)(const char*) = (void (*)(const char*))dlsym(library, "__sanitizer_set_report_path");
  if (set != NULL) set(path);
}
