/// XGBoostVersion of another library: the version that $OTHER_XGBOOST_VERSION says, "2.1".

#include <cstdio>
#include <cstdlib>

extern "C" void XGBoostVersion(int* major, int* minor, int* patch) {
  int given[2] = {0, 0};
  const char* text = std::getenv("OTHER_XGBOOST_VERSION");
  if (text) std::sscanf(text, "%d.%d", &given[0], &given[1]);
  if (major) *major = given[0];
  if (minor) *minor = given[1];
  if (patch) *patch = 0;
}
