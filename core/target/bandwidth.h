#pragma once
/// \file How fast the memory of this machine is, by measurement: what a roofline's slope is.

namespace nestwright {

/// Bytes per second that so many threads (0: all cores) move together in the STREAM triad
/// a = b + s·c, over arrays that no cache holds: reads and writes as the program names them, the
/// best of several passes. Takes about half a second and all the memory's bandwidth, so nothing
/// else should be timed meanwhile.
double measureBandwidth(int threads = 0);

} // namespace nestwright
