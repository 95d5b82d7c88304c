// A clock that all threads and processes of this machine share and that never jumps: for deadlines that one
// thread sets and another keeps. (performance.now() starts anew in each thread; the wall clock can be set.)

/** Milliseconds since some fixed moment, with fractions. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
