import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { ClusterRecord } from "../precache-model/cluster-record.ts";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { siteLabelAnnotation } from "../precache-model/planned-upgrade.ts";
import { windowObject } from "../windows/fixtures.ts";
import { gateAt, namedWindows } from "../windows/gate.ts";
import { bandwidthAnnotation, bandwidthAnnotations } from "./limits.ts";
import { type RemainingDownload, remainingDownloads, sharedLinks, tooLate } from "./remaining-download.ts";

const gib = 1024 ** 3;
const cgu = (bandwidth?: string, siteLabel?: string): KubernetesObject => ({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  metadata: {
    namespace: "ztp",
    name: "upgrade",
    annotations: {
      ...(bandwidth === undefined ? {} : { [bandwidthAnnotation]: bandwidth }),
      ...(siteLabel ? { [siteLabelAnnotation]: siteLabel } : {}),
    },
  },
});

describe("the remaining download of a cluster", () => {
  const reported = aWaitingRecord({ bytesTotal: 3_000_000_000, bytesDone: 500_000_000 });
  test.for<
    readonly [
      name: string,
      objects: readonly KubernetesObject[],
      seconds: number | undefined,
      record?: ClusterRecord | undefined,
      site?: string | undefined,
    ]
  >([
    ["no bandwidth is given", [cgu()], undefined, reported],
    ["it has reported nothing", [cgu("100")], undefined],
    ["all have 100 Mbit/s", [cgu("100")], 200, reported],
    ["it has reported only a total", [cgu("100")], 240, aWaitingRecord({ bytesTotal: 3_000_000_000 })],
    ["its site has 20", [cgu("100, oslo=20", "site")], 1000, reported, "oslo"],
    ["another site has 20", [cgu("100,oslo=20", "site")], 200, reported, "bergen"],
    ["sites have no label", [cgu("oslo=20")], undefined, reported, "oslo"],
    ["the config has it", [cgu(), cgu("50")], 400, reported],
    ["both have it", [cgu("100"), cgu("50")], 200, reported],
  ])("When $0, it should need $2 s", ([, objects, seconds, own, site]) => {
    const records = new Map(own ? [["sno1", own]] : []);
    const rest = remainingDownloads(objects, records, () => (site ? { site } : {}))("sno1");
    expect(rest?.seconds).toBe(seconds);
  });

  const done = aWaitingRecord({ state: "Succeeded", bytesTotal: 3_000_000_000, bytesDone: 3_000_000_000 });
  const arm = { "kubernetes.io/arch": "arm64" };
  test.for<{
    name: string;
    canary: ClusterRecord;
    ofCanary?: Readonly<Record<string, string>>;
    own?: ClusterRecord;
    seconds: number | undefined;
  }>([
    { name: "has run", canary: done, seconds: 240 },
    { name: "runs", canary: aWaitingRecord({ bytesTotal: 3_000_000_000 }), seconds: 240 },
    { name: "could not measure", canary: aWaitingRecord({ bytesTotal: 0 }), seconds: undefined },
    { name: "has another architecture", canary: done, ofCanary: arm, seconds: undefined },
  ])("When a canary $name, the remaining download of another cluster should take $seconds s", (given) => {
    const { canary, ofCanary, own, seconds } = given;
    const records = new Map([["canary", canary], ...(own ? [["sno1", own] as const] : [])]);
    const labelsOf = (cluster: string) => (cluster === "canary" ? ofCanary : undefined);
    expect(remainingDownloads([cgu("100")], records, labelsOf)("sno1")?.seconds).toBe(seconds);
  });

  test("When clusters share a site's link, what others pull through it should be known, and nothing of other links", () => {
    const records = new Map(["a1", "a2", "b1", "c1", "c2"].map((name) => [name, reported]));
    const siteOf = (cluster: string) => ({ site: cluster[0] ?? "" });
    const remainingDownloadOf = remainingDownloads([cgu("100,a=20,b=20", "site")], records, siteOf);
    const links = sharedLinks(remainingDownloadOf);
    for (const cluster of ["a1", "b1", "c1", "nobody"]) links.use(cluster);
    const others = (cluster: string) => links.besides(cluster).map(({ bytes }) => bytes);
    expect(others("a2")).toEqual([2_500_000_000]);
    expect(others("a1")).toEqual([]);
    expect(others("c2")).toEqual([]);
    expect(others("nobody")).toEqual([]);
  });

  test("When a bandwidth is invalid, it should be ignored and reported", () => {
    const { bandwidths, issues } = bandwidthAnnotations([cgu("fast,oslo=20")]);
    expect(bandwidths.elsewhere).toBeUndefined();
    expect(bandwidths.bySite.get("oslo")).toBe(20);
    expect(issues).toMatchObject([
      { code: "InvalidBandwidth", path: `metadata.annotations["${bandwidthAnnotation}"]`, value: "fast" },
    ]);
  });
});

// Open from 02:00 to 04:00.
const night = windowObject({ timeZone: "UTC", duration: "2h" });
const rest = (minutes: number): RemainingDownload => ({ bytes: 12 * gib, mbit: 20, seconds: minutes * 60 });

describe("a cluster in an opening of two hours", () => {
  test.for<{ at: string; needs: number | undefined; starts: boolean }>([
    { at: "02:00", needs: undefined, starts: true },
    { at: "03:59", needs: undefined, starts: true },
    { at: "02:00", needs: 100, starts: true },
    { at: "02:21", needs: 100, starts: false },
    { at: "03:00", needs: 60, starts: true },
    { at: "03:00", needs: 61, starts: false },
    { at: "03:50", needs: 10, starts: true },
    { at: "03:50", needs: 11, starts: false },
    { at: "03:59", needs: 0, starts: true },
    { at: "02:01", needs: 119, starts: true },
    { at: "02:02", needs: 119, starts: true },
    { at: "02:00", needs: 600, starts: true },
    { at: "03:00", needs: 600, starts: true },
    { at: "03:01", needs: 600, starts: false },
    { at: "01:00", needs: 600, starts: true },
  ])(
    "When it is $at and the remaining download needs $needs min, whether it starts should be $starts",
    ({ at, needs, starts }) => {
      const now = new Date(`2026-03-01T${at}:00Z`);
      const gate = gateAt(namedWindows([night]), ({ allow }) => allow.preCaching, { now });
      // A closed gate has a reason of its own, which is not this one's.
      expect(tooLate(gate, needs === undefined ? undefined : rest(needs), now) === undefined).toBe(starts);
    },
  );

  test("When it is held back, the reason should give the time it needs and the time left", () => {
    const now = new Date("2026-03-01T03:20:00Z");
    const gate = gateAt(namedWindows([night]), () => true, { now });
    expect(tooLate(gate, rest(86), now)).toBe(
      "fleet/night closes in 40m, and the remaining 12.0 GiB need 1h26m at 20 Mbit/s: it waits for the next opening.",
    );
  });

  const beside = (...others: readonly number[]) =>
    others.map(
      (minutes): RemainingDownload => ({ ...rest(minutes), bytes: minutes * 150_000_000, site: "oslo" }),
    );
  test.for<{ at: string; needs: number; others: readonly number[]; starts: boolean }>([
    { at: "02:00", needs: 60, others: [60], starts: true },
    { at: "02:01", needs: 60, others: [60], starts: false },
    { at: "02:00", needs: 60, others: [50, 10], starts: true },
    { at: "02:00", needs: 60, others: [50, 11], starts: false },
    { at: "02:00", needs: 60, others: [600], starts: true },
    { at: "02:01", needs: 60, others: [600], starts: false },
    { at: "03:00", needs: 60, others: [0, 0], starts: true },
    { at: "02:00", needs: 600, others: [], starts: true },
    { at: "02:00", needs: 600, others: [0], starts: true },
    { at: "02:00", needs: 600, others: [1], starts: false },
  ])(
    "When it is $at and the remaining download needs $needs min on a link where others need $others, whether it starts should be $starts",
    ({ at, needs, others, starts }) => {
      const now = new Date(`2026-03-01T${at}:00Z`);
      const gate = gateAt(namedWindows([night]), () => true, { now });
      const [own] = beside(needs);
      expect(tooLate(gate, own, now, beside(...others)) === undefined).toBe(starts);
    },
  );

  test("When others on its link hold it back, the reason should name them", () => {
    const now = new Date("2026-03-01T02:30:00Z");
    const gate = gateAt(namedWindows([night]), () => true, { now });
    const [own] = beside(60);
    expect(tooLate(gate, own, now, beside(30, 600))).toBe(
      "fleet/night closes in 1h30m, and the remaining 8.4 GiB need 2h30m at 20 Mbit/s beside 2 more of site oslo on the same link: it waits for them, or for the next opening.",
    );
  });
});
