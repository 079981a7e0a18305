/** Bandwidths in Mbit/s (10^6 bits): of sites by their names, and of all other clusters. */
export type Bandwidths = Readonly<{ elsewhere: number | undefined; bySite: ReadonlyMap<string, number> }>;

export const noBandwidths: Bandwidths = { elsewhere: undefined, bySite: new Map() };

const decimalNumber = /^\d{1,7}(?:\.\d{1,6})?$/;

/** Adds the bandwidth `100`, or `SITE=20` for one site; undefined when the text is invalid. The last one wins. */
export function withBandwidth(known: Bandwidths, text: string): Bandwidths | undefined {
  const [, site, number = ""] = /^(?:([^=]+)=)?([^=]+)$/.exec(text) ?? [];
  const mbit = Number(number);
  if (!decimalNumber.test(number) || mbit <= 0) return undefined;
  return site === undefined
    ? { ...known, elsewhere: mbit }
    : { ...known, bySite: new Map([...known.bySite, [site, mbit]]) };
}

/** Returns the seconds that bytes take, rounded up. */
export function secondsFor(bytes: number, mbit: number): number {
  return Math.ceil((bytes * 8) / (mbit * 1_000_000));
}
