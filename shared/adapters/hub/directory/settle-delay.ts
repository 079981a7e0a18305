/** How long a file, or the path of a removed one, must be untouched before the change is accepted. */
const settleMs = 100;

/**
 * Delays changes in progress: programs that write in place expose half a file meanwhile, editors that rename expose
 * none for a moment.
 */
export function settleDelay() {
  /** When this process first saw each pending change. */
  const noticed = new Map<string, Readonly<{ what: string; atMs: number }>>();
  return {
    /**
     * Returns the milliseconds until the state `what` at the path may be accepted, given when it began. When the file
     * system's clock is ahead, they count from the first sight of that state.
     */
    remainingMs(path: string, what: string, changedMs: number): number {
      const nowMs = Date.now();
      const known = noticed.get(path);
      const atMs = known?.what === what ? known.atMs : nowMs;
      noticed.set(path, { what, atMs });
      return Math.max(0, Math.ceil(Math.min(changedMs, atMs) + settleMs - nowMs));
    },
    settled: (path: string) => void noticed.delete(path),
  };
}
