/** A file, or the place where one was, must be untouched for so long before it is believed. */
const settleMs = 100;

/**
 * Holds back what is in the middle of a change: programs that write in place show half a file meanwhile, editors
 * that rename show none for a moment.
 */
export function settleDelay() {
  /** When this process first saw a change that it does not believe yet. */
  const noticed = new Map<string, Readonly<{ what: string; atMs: number }>>();
  return {
    /**
     * Milliseconds until `what` is seen at the path may be believed, given when it came to be so. A file system
     * whose clock is ahead delays that by no more than the same moment.
     */
    remainingMs(path: string, what: string, changedMs: number): number {
      const nowMs = Date.now();
      const known = noticed.get(path);
      const atMs = known?.what === what ? known.atMs : nowMs;
      noticed.set(path, { what, atMs });
      return Math.max(0, Math.ceil(Math.min(changedMs, atMs) + settleMs - nowMs));
    },
    believed: (path: string) => void noticed.delete(path),
  };
}
