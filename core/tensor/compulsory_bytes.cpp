#include "core/tensor/compulsory_bytes.h"

namespace nestwright {

double compulsoryBytes(const ComputeDag& dag) {
  double bytes = 0;
  for (const Op& op : dag.inputs())
    bytes += static_cast<double>(op->output->bytes());
  for (const Op& op : dag.outputs())
    bytes += static_cast<double>(op->output->bytes());
  return bytes;
}

} // namespace nestwright
