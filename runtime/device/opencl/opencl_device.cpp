// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/opencl/opencl_device.h"

#include "runtime/device/library/own_function.h"
#include "runtime/device/transfer.h"

#include <algorithm>

namespace pb::device {

OpenClDevice::OpenClDevice(cl_device_id device)
    : cl_(*OpenCl::get()), device_(device), about_(describe(device)), cache_(KernelCache::standardFolder()) {
  cl_device_fp_config single = 0;
  cl_.clGetDeviceInfo(device_, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, nullptr);
  options_ = "-cl-std=CL1.2 -w";
  if (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
    options_ += " -cl-fp32-correctly-rounded-divide-sqrt";

  cl_int status = CL_SUCCESS;
  context_ =
      owned(cl_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status), cl_.clReleaseContext);
  require(status, Failure::Lost, "clCreateContext");
  for (ClQueue &each : queues_)
    each = queue(0);
  setup_ = queue(0);
}

ClQueue OpenClDevice::queue(cl_command_queue_properties properties) const {
  cl_int status = CL_SUCCESS;
  ClQueue made = owned(cl_.clCreateCommandQueue(context_.get(), device_, properties, &status),
                       cl_.clReleaseCommandQueue);
  require(status, Failure::Lost, "clCreateCommandQueue");
  return made;
}

void OpenClDevice::timeCommands() {
  for (ClQueue &each : queues_)
    each = queue(CL_QUEUE_PROFILING_ENABLE);
}

OpenClDevice::~OpenClDevice() {
  for (const ClQueue &queue : queues_) // nothing may write the host's memory afterwards
    cl_.clFinish(queue.get());
}

// Drivers allocate memory when it is first used, and then a copy or a launch would fail. So the buffer is
// moved to the device here, without contents.
std::unique_ptr<Buffer> OpenClDevice::allocate(unsigned long bytes) {
  if (bytes > about_.largest)
    throw DeviceError(Failure::OutOfMemory, about_.name + " has no buffers of " + std::to_string(bytes) +
                                                " bytes, at most of " + std::to_string(about_.largest));
  cl_int status = CL_SUCCESS;
  ClMemory memory =
      owned(cl_.clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, std::max(bytes, 1UL), nullptr, &status),
            cl_.clReleaseMemObject);
  require(status, Failure::OutOfMemory, "clCreateBuffer of " + std::to_string(bytes) + " bytes");
  cl_mem moved = memory.get();
  cl_event event = nullptr;
  require(cl_.clEnqueueMigrateMemObjects(setup_.get(), 1, &moved, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                         nullptr, &event),
          Failure::OutOfMemory, "clEnqueueMigrateMemObjects");
  const ClEventRef held = owned(event, cl_.clReleaseEvent);
  require(cl_.clWaitForEvents(1, &event), Failure::OutOfMemory, "memory of the device");
  return std::make_unique<OpenClBuffer>(std::move(memory), bytes, nullptr);
}

std::unique_ptr<Buffer> OpenClDevice::wrap(void *host, unsigned long bytes) {
  if (!about_.sharesMemory || bytes == 0)
    return nullptr;
  cl_int status = CL_SUCCESS;
  ClMemory memory =
      owned(cl_.clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &status),
            cl_.clReleaseMemObject);
  if (status < 0)
    return nullptr; // a copy does it, too
  return std::make_unique<OpenClBuffer>(std::move(memory), bytes, host);
}

template <class Call>
ClEventRef OpenClDevice::enqueue(ClQueueKind kind, const Waits &waits, const char *name, Call &&call) {
  cl_event event = nullptr;
  require(call(queues_[kind].get(), static_cast<cl_uint>(waits.size()),
               waits.empty() ? nullptr : waits.data(), &event),
          Failure::Launch, name);
  return last_[kind] = owned(event, cl_.clReleaseEvent);
}

template <class Row, class Rectangle>
EventRef OpenClDevice::copy(OpenClBuffer &buffer, ClQueueKind kind, const Transfer &whole, Row &&row,
                            Rectangle &&rectangle) {
  checkTransfer(whole, buffer.size);
  const Transfer t = packed(whole);
  const bool writes = kind == kQueueIn;
  Waits waits;
  buffer.uses.eachToAwait(kind, writes, [&](const ClEventRef &before) { waits.push_back(before.get()); });

  std::vector<ClEventRef> events;
  const auto rowPitch = static_cast<std::size_t>(t.rowStride),
             planePitch = static_cast<std::size_t>(t.planeStride);
  const bool rowsFit = t.rows > 1 && t.rowStride > 0 && rowPitch >= t.bytes;
  const bool planesFit =
      t.planes == 1 || (t.planeStride > 0 && planePitch >= t.rows * rowPitch && planePitch % rowPitch == 0);
  if (transferBytes(t) == 0) {
    events.push_back(enqueue(kind, waits, "clEnqueueMarkerWithWaitList", cl_.clEnqueueMarkerWithWaitList));
  } else if (rowsFit) {
    const long calls = planesFit ? 1 : t.planes;
    const std::size_t region[3] = {t.bytes, static_cast<std::size_t>(t.rows),
                                   planesFit ? static_cast<std::size_t>(t.planes) : 1};
    for (long plane = 0; plane < calls; ++plane) {
      const std::size_t origin[3] = {t.offset + plane * t.planeStride, 0, 0};
      events.push_back(enqueue(kind, waits, "copying rows", [&](auto... last) {
        return rectangle(origin, region, rowPitch, planesFit && t.planes > 1 ? planePitch : 0, last...);
      }));
      waits.clear(); // its queue is in order
    }
  } else {
    eachRow(t, [&](unsigned long offset) {
      events.push_back(
          enqueue(kind, waits, "copying", [&](auto... last) { return row(offset, t.bytes, last...); }));
      waits.clear();
    });
  }
  buffer.uses.note(kind, writes, events.back());
  return std::make_shared<OpenClEvent>(std::move(events));
}

/// Makes the device's writes visible to the processor, or the reverse: the memory is shared, so only the
/// order matters.
EventRef OpenClDevice::share(OpenClBuffer &buffer, ClQueueKind kind, cl_map_flags flags) {
  const bool writes = kind == kQueueIn;
  Waits waits;
  buffer.uses.eachToAwait(kind, writes, [&](const ClEventRef &before) { waits.push_back(before.get()); });
  void *mapped = nullptr;
  ClEventRef map =
      enqueue(kind, waits, "clEnqueueMapBuffer", [&](auto queue, auto count, auto list, auto event) {
        cl_int status = CL_SUCCESS;
        mapped = cl_.clEnqueueMapBuffer(queue, buffer.memory.get(), CL_FALSE, flags, 0, buffer.size, count,
                                        list, event, &status);
        return status;
      });
  ClEventRef unmap =
      enqueue(kind, {}, "clEnqueueUnmapMemObject", [&](auto queue, auto count, auto list, auto event) {
        return cl_.clEnqueueUnmapMemObject(queue, buffer.memory.get(), mapped, count, list, event);
      });
  buffer.uses.note(kind, writes, unmap);
  return std::make_shared<OpenClEvent>(std::vector{std::move(map), std::move(unmap)});
}

EventRef OpenClDevice::copyIn(Buffer &to, const Transfer &t, const void *host) {
  auto &buffer = static_cast<OpenClBuffer &>(to);
  if (buffer.wraps && buffer.wraps == host) {
    checkTransfer(t, buffer.size);
    return share(buffer, kQueueIn, CL_MAP_WRITE);
  }
  return copy(
      buffer, kQueueIn, t,
      [&](unsigned long offset, unsigned long bytes, auto queue, auto... last) {
        return cl_.clEnqueueWriteBuffer(queue, buffer.memory.get(), CL_FALSE, offset, bytes,
                                        static_cast<const char *>(host) + offset, last...);
      },
      [&](const std::size_t *origin, const std::size_t *region, std::size_t row, std::size_t plane,
          auto queue, auto... last) {
        return cl_.clEnqueueWriteBufferRect(queue, buffer.memory.get(), CL_FALSE, origin, origin, region, row,
                                            plane, row, plane, host, last...);
      });
}

EventRef OpenClDevice::copyOut(Buffer &from, const Transfer &t, void *host) {
  auto &buffer = static_cast<OpenClBuffer &>(from);
  if (buffer.wraps && buffer.wraps == host) {
    checkTransfer(t, buffer.size);
    return share(buffer, kQueueOut, CL_MAP_READ);
  }
  return copy(
      buffer, kQueueOut, t,
      [&](unsigned long offset, unsigned long bytes, auto queue, auto... last) {
        return cl_.clEnqueueReadBuffer(queue, buffer.memory.get(), CL_FALSE, offset, bytes,
                                       static_cast<char *>(host) + offset, last...);
      },
      [&](const std::size_t *origin, const std::size_t *region, std::size_t row, std::size_t plane,
          auto queue, auto... last) {
        return cl_.clEnqueueReadBufferRect(queue, buffer.memory.get(), CL_FALSE, origin, origin, region, row,
                                           plane, row, plane, host, last...);
      });
}

EventRef OpenClDevice::launch(Kernel &given, const std::vector<Argument> &arguments, const Grid &grid) {
  if (const auto *own = dynamic_cast<OwnFunction *>(&given))
    return own->launch(*this, arguments);
  auto &kernel = static_cast<OpenClKernel &>(given);
  Waits waits;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument &argument = arguments[k];
    cl_mem memory = nullptr;
    if (argument.buffer) {
      auto &buffer = static_cast<OpenClBuffer &>(*argument.buffer);
      memory = buffer.memory.get();
      buffer.uses.eachToAwait(kQueueKernels, argument.written,
                              [&](const ClEventRef &before) { waits.push_back(before.get()); });
    }
    require(argument.buffer ? cl_.clSetKernelArg(kernel.kernel.get(), static_cast<cl_uint>(k), sizeof(cl_mem),
                                                 static_cast<const void *>(&memory))
                            : cl_.clSetKernelArg(kernel.kernel.get(), static_cast<cl_uint>(k),
                                                 sizeof argument.value, &argument.value),
            Failure::Launch, "argument " + std::to_string(k) + " of the kernel " + kernel.entry);
  }
  const std::size_t items[3] = {static_cast<std::size_t>(grid.items[0]),
                                static_cast<std::size_t>(grid.items[1]),
                                static_cast<std::size_t>(grid.items[2])};
  const std::size_t group[3] = {static_cast<std::size_t>(grid.group[0]),
                                static_cast<std::size_t>(grid.group[1]),
                                static_cast<std::size_t>(grid.group[2])};
  const bool none = items[0] == 0 || items[1] == 0 || items[2] == 0;
  ClEventRef event =
      none ? enqueue(kQueueKernels, waits, "clEnqueueMarkerWithWaitList", cl_.clEnqueueMarkerWithWaitList)
           : enqueue(kQueueKernels, waits, "clEnqueueNDRangeKernel", [&](auto queue, auto... last) {
               return cl_.clEnqueueNDRangeKernel(queue, kernel.kernel.get(), 3, nullptr, items, group,
                                                 last...);
             });
  for (const Argument &argument : arguments)
    if (argument.buffer)
      static_cast<OpenClBuffer &>(*argument.buffer).uses.note(kQueueKernels, argument.written, event);
  return std::make_shared<OpenClEvent>(std::vector{std::move(event)});
}

void OpenClDevice::flush() {
  for (const ClQueue &queue : queues_)
    require(cl_.clFlush(queue.get()), Failure::Lost, "clFlush");
  for (ClEventRef &last : last_) {
    const ClEventRef event = std::move(last);
    if (!event || !ended_)
      continue;
    auto *ended = new std::shared_ptr(ended_); // the device may be destroyed by then
    const auto call = [](cl_event, cl_int, void *data) {
      const std::unique_ptr<std::shared_ptr<const std::function<void()>>> owned(
          static_cast<std::shared_ptr<const std::function<void()>> *>(data));
      (**owned)();
    };
    if (cl_.clSetEventCallback(event.get(), CL_COMPLETE, call, ended) != CL_SUCCESS)
      delete ended; // without the callback, events are polled now and then
  }
}

bool OpenClDevice::callWhenOver(Event &event, const std::function<void()> &ended) {
  auto call = std::make_unique<std::function<void()>>(ended);
  const auto run = [](cl_event, cl_int, void *data) {
    const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()> *>(data));
    (*owned)();
  };
  if (cl_.clSetEventCallback(static_cast<OpenClEvent &>(event).last().get(), CL_COMPLETE, run, call.get()) !=
      CL_SUCCESS)
    return false;
  [[maybe_unused]] const auto *passed = call.release(); // the function deletes it
  return true;
}

/// Only useful where polling takes the core away from the kernel; otherwise a callback takes longer.
bool OpenClDevice::callAtEnd(const std::function<void()> &ended) {
  cl_device_type type = 0;
  if (cl_.clGetDeviceInfo(device_, CL_DEVICE_TYPE, sizeof type, &type, nullptr) != CL_SUCCESS ||
      !(type & CL_DEVICE_TYPE_CPU))
    return false;
  ended_ = std::make_shared<const std::function<void()>>(ended);
  return true;
}

} // namespace pb::device
