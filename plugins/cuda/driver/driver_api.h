#pragma once
/// \file The functions of NVIDIA's driver that we use, in declarations of our own: none of its
/// headers is needed. Names carry the version whose signature this is.

#include <cstddef>
#include <cstdint>

namespace nestwright::cuda {

using CuResult = int; // 0 is success
using CuDevice = int;
using CuAddress = std::uint64_t; // of device memory
using CuContext = struct CuContextObject*;
using CuModule = struct CuModuleObject*;
using CuFunction = struct CuFunctionObject*;
using CuStream = struct CuStreamObject*;
using CuEvent = struct CuEventObject*;
using CuGraph = struct CuGraphObject*;
using CuGraphExec = struct CuGraphExecObject*;

inline constexpr CuResult kCuNotReady = 600;

/// The host never looks at what a device's pointer points to.
inline CuAddress addressOf(const void* memory) {
  return reinterpret_cast<CuAddress>(memory);
}

struct DriverApi {
  CuResult (*init)(unsigned flags);
  CuResult (*driverVersion)(int* version);
  CuResult (*errorName)(CuResult, const char** name);
  CuResult (*errorText)(CuResult, const char** text);

  CuResult (*deviceCount)(int* count);
  CuResult (*device)(CuDevice*, int ordinal);
  CuResult (*deviceName)(char* name, int size, CuDevice);
  CuResult (*deviceAttribute)(int* value, int attribute, CuDevice);
  CuResult (*deviceMemory)(std::size_t* bytes, CuDevice);
  CuResult (*devicePciBusId)(char* id, int size, CuDevice);

  CuResult (*setContextFlags)(CuDevice, unsigned flags);
  CuResult (*retainContext)(CuContext*, CuDevice);
  CuResult (*releaseContext)(CuDevice);
  CuResult (*useContext)(CuContext);
  CuResult (*memoryInfo)(std::size_t* free, std::size_t* total);

  CuResult (*allocate)(CuAddress*, std::size_t bytes);
  CuResult (*free)(CuAddress);
  CuResult (*copyIn)(CuAddress, const void*, std::size_t bytes);
  CuResult (*copyOut)(void*, CuAddress, std::size_t bytes);
  CuResult (*fill)(CuAddress, unsigned char value, std::size_t bytes);
  CuResult (*fillInTurn)(CuAddress, unsigned char value, std::size_t bytes, CuStream);

  CuResult (*loadModule)(CuModule*, const void* image, unsigned options, int* names, void** values);
  CuResult (*unloadModule)(CuModule);
  CuResult (*function)(CuFunction*, CuModule, const char* name);
  CuResult (*setAttribute)(CuFunction, int attribute, int value);
  CuResult (*attribute)(int* value, int attribute, CuFunction);
  CuResult (*launch)(CuFunction, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                     unsigned blockY, unsigned blockZ, unsigned sharedBytes, CuStream,
                     void** arguments, void** extra);

  CuResult (*createStream)(CuStream*, unsigned flags);
  CuResult (*destroyStream)(CuStream);
  CuResult (*beginCapture)(CuStream, int mode);
  CuResult (*endCapture)(CuStream, CuGraph*);
  CuResult (*instantiateGraph)(CuGraphExec*, CuGraph, unsigned long long flags);
  CuResult (*launchGraph)(CuGraphExec, CuStream);
  CuResult (*destroyGraphExec)(CuGraphExec);
  CuResult (*destroyGraph)(CuGraph);

  CuResult (*createEvent)(CuEvent*, unsigned flags);
  CuResult (*destroyEvent)(CuEvent);
  CuResult (*recordEvent)(CuEvent, CuStream);
  CuResult (*recordEventInGraph)(CuEvent, CuStream, unsigned flags);
  CuResult (*queryEvent)(CuEvent);
  CuResult (*elapsed)(float* milliseconds, CuEvent begin, CuEvent end);
};

/// Name of each function in the library, with its place in the table.
struct DriverSymbol {
  const char* name;
  std::size_t offset; // in DriverApi
};

inline constexpr DriverSymbol kDriverSymbols[] = {
    {"cuInit", offsetof(DriverApi, init)},
    {"cuDriverGetVersion", offsetof(DriverApi, driverVersion)},
    {"cuGetErrorName", offsetof(DriverApi, errorName)},
    {"cuGetErrorString", offsetof(DriverApi, errorText)},
    {"cuDeviceGetCount", offsetof(DriverApi, deviceCount)},
    {"cuDeviceGet", offsetof(DriverApi, device)},
    {"cuDeviceGetName", offsetof(DriverApi, deviceName)},
    {"cuDeviceGetAttribute", offsetof(DriverApi, deviceAttribute)},
    {"cuDeviceTotalMem_v2", offsetof(DriverApi, deviceMemory)},
    {"cuDeviceGetPCIBusId", offsetof(DriverApi, devicePciBusId)},
    {"cuDevicePrimaryCtxSetFlags_v2", offsetof(DriverApi, setContextFlags)},
    {"cuDevicePrimaryCtxRetain", offsetof(DriverApi, retainContext)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(DriverApi, releaseContext)},
    {"cuCtxSetCurrent", offsetof(DriverApi, useContext)},
    {"cuMemGetInfo_v2", offsetof(DriverApi, memoryInfo)},
    {"cuMemAlloc_v2", offsetof(DriverApi, allocate)},
    {"cuMemFree_v2", offsetof(DriverApi, free)},
    {"cuMemcpyHtoD_v2", offsetof(DriverApi, copyIn)},
    {"cuMemcpyDtoH_v2", offsetof(DriverApi, copyOut)},
    {"cuMemsetD8_v2", offsetof(DriverApi, fill)},
    {"cuMemsetD8Async", offsetof(DriverApi, fillInTurn)},
    {"cuModuleLoadDataEx", offsetof(DriverApi, loadModule)},
    {"cuModuleUnload", offsetof(DriverApi, unloadModule)},
    {"cuModuleGetFunction", offsetof(DriverApi, function)},
    {"cuFuncSetAttribute", offsetof(DriverApi, setAttribute)},
    {"cuFuncGetAttribute", offsetof(DriverApi, attribute)},
    {"cuLaunchKernel", offsetof(DriverApi, launch)},
    {"cuStreamCreate", offsetof(DriverApi, createStream)},
    {"cuStreamDestroy_v2", offsetof(DriverApi, destroyStream)},
    {"cuStreamBeginCapture_v2", offsetof(DriverApi, beginCapture)},
    {"cuStreamEndCapture", offsetof(DriverApi, endCapture)},
    {"cuGraphInstantiateWithFlags", offsetof(DriverApi, instantiateGraph)},
    {"cuGraphLaunch", offsetof(DriverApi, launchGraph)},
    {"cuGraphExecDestroy", offsetof(DriverApi, destroyGraphExec)},
    {"cuGraphDestroy", offsetof(DriverApi, destroyGraph)},
    {"cuEventCreate", offsetof(DriverApi, createEvent)},
    {"cuEventDestroy_v2", offsetof(DriverApi, destroyEvent)},
    {"cuEventRecord", offsetof(DriverApi, recordEvent)},
    {"cuEventRecordWithFlags", offsetof(DriverApi, recordEventInGraph)},
    {"cuEventQuery", offsetof(DriverApi, queryEvent)},
    {"cuEventElapsedTime", offsetof(DriverApi, elapsed)},
};

} // namespace nestwright::cuda
