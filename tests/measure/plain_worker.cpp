/// The product's worker without its command line.
#include "core/measure/measure.h"

int main() {
  return nestwright::runWorker("llvm");
}
