// Tasks as generated programs see them: C++20 coroutines on the work-stealing scheduler.
//
// A transform's task-parallel version is a coroutine that returns a Job. Jobs start when awaited or spawned:
//
//   pb::Job sort_par(Region<double,1> out, Region<const double,1> in) {
//     pb::SpawnScope scope;
//     scope.spawn(sort_par(out.region(0, h), in.region(0, h)));      // may run elsewhere
//     co_await sort_par(out.region(h, n), in.region(h, n));          // complete before the next statement
//     co_await scope.sync();                                         // all spawned children are done
//     co_await merge_par(out, h);
//   }
//   co_await pb::forEachBox(box, kernel, frame);                     // a data-parallel loop in tasks
//
// Invariants: a Job is awaited or spawned exactly once; a SpawnScope is synced before it dies; a suspended
// frame is the continuation task of petabricks-hetero 6.1; no worker ever blocks.
// The scheduler is in runtime/task; this header stays free of libstdc++.
#pragma once
// (written by the task room; see runtime/task)
