/** Runs the work, and returns the seconds that the process has computed meanwhile: what else the machine does adds none. */
export function processorSeconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000_000;
}
