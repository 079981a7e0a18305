/** How fast images travel, in Mbit/s (10^6 bits): to sites by their names, and to every other place. */
export type Bandwidths = Readonly<{ elsewhere: number | undefined; bySite: ReadonlyMap<string, number> }>;

export const noBandwidths: Bandwidths = { elsewhere: undefined, bySite: new Map() };

const decimalNumber = /^\d{1,7}(?:\.\d{1,6})?$/;

/** Adds what `100`, or `SITE=20` for one site, says; undefined when it says nothing. The last of equals counts. */
export function withBandwidth(known: Bandwidths, text: string): Bandwidths | undefined {
  const [, site, number = ""] = /^(?:([^=]+)=)?([^=]+)$/.exec(text) ?? [];
  const mbit = Number(number);
  if (!decimalNumber.test(number) || mbit <= 0) return undefined;
  return site === undefined
    ? { ...known, elsewhere: mbit }
    : { ...known, bySite: new Map([...known.bySite, [site, mbit]]) };
}

/** Whole seconds that bytes take, rounded up. */
export function secondsFor(bytes: number, mbit: number): number {
  return Math.ceil((bytes * 8) / (mbit * 1_000_000));
}
