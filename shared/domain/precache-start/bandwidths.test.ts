import { expect, test } from "vitest";
import { type Bandwidths, noBandwidths, withBandwidth } from "./bandwidths.ts";

const read = (texts: readonly string[]) =>
  texts.reduce<Bandwidths | undefined>((known, text) => known && withBandwidth(known, text), noBandwidths);

test.for([
  { texts: ["100"], elsewhere: 100, bySite: [] },
  { texts: ["0.5"], elsewhere: 0.5, bySite: [] },
  { texts: ["paris=20"], elsewhere: undefined, bySite: [["paris", 20]] },
  { texts: ["100", "paris=20", "50", "paris=30"], elsewhere: 50, bySite: [["paris", 30]] },
])(
  "When $texts are given, each should count for its place, the last first",
  ({ texts, elsewhere, bySite }) => {
    const bandwidths = read(texts);
    expect([bandwidths?.elsewhere, [...(bandwidths?.bySite ?? [])]]).toEqual([elsewhere, bySite]);
  },
);

test.for(["", "0", "-1", "fast", "100M", "paris=", "=20", "a=b=1", "1e3", "paris=0"])(
  "When %j is given, it should be no bandwidth",
  (text) => {
    expect(withBandwidth(noBandwidths, text)).toBeUndefined();
  },
);
