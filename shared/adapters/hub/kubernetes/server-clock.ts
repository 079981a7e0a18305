/** The clock of an API server, as its responses tell. */
export type ServerClock = Readonly<{
  /** Returns what to call with the `Date` of the response to a request that is sent now. */
  sent(): (date: string | string[] | undefined) => void;
  /** Returns the server's time now; undefined before a response had one. */
  time(): Date | undefined;
}>;

/**
 * Returns the clock of a server, which `elapsedMs` carries on from its last response: that does not jump with the clock of
 * this machine. It is wrong by at most half of the time that the response took, and half a second.
 */
export function serverClock(elapsedMs: () => number = () => performance.now()): ServerClock {
  let startedAtMs: number | undefined;
  return {
    sent() {
      const sentAtMs = elapsedMs();
      return (date) => {
        const wholeSeconds = typeof date === "string" ? Date.parse(date) : Number.NaN;
        if (!Number.isNaN(wholeSeconds)) startedAtMs = wholeSeconds + 500 - (sentAtMs + elapsedMs()) / 2;
      };
    },
    time: () => (startedAtMs === undefined ? undefined : new Date(startedAtMs + elapsedMs())),
  };
}
