/** Microseconds that this thread has been on a processor, up to now. With some kernels up to 4 ms old. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
