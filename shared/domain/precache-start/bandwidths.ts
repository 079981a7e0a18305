/** Bandwidths in Mbit/s (10^6 bits). The keys of `bySite` are names of sites. */
export type Bandwidths = Readonly<{ elsewhere: number | undefined; bySite: ReadonlyMap<string, number> }>;

export const noBandwidths: Bandwidths = { elsewhere: undefined, bySite: new Map() };

const decimalNumber = /^\d{1,7}(?:\.\d{1,6})?$/;

/** Returns `known` with a bandwidth such as `100` or `SITE=20` added; undefined if the text is invalid. */
export function withBandwidth(known: Bandwidths, text: string): Bandwidths | undefined {
  const [, site, number = ""] = /^(?:([^=]+)=)?([^=]+)$/.exec(text) ?? [];
  const mbit = Number(number);
  if (!decimalNumber.test(number) || mbit <= 0) return undefined;
  return site === undefined
    ? { ...known, elsewhere: mbit }
    : { ...known, bySite: new Map([...known.bySite, [site, mbit]]) };
}

/** Formats bandwidths in Mbit/s, separated by commas: `100,oslo=20`; empty without any. */
export function bandwidthText({ elsewhere, bySite }: Bandwidths): string {
  const ofSites = [...bySite].map(([site, mbit]) => `${site}=${mbit}`);
  return [...(elsewhere === undefined ? [] : [elsewhere]), ...ofSites].join(",");
}
