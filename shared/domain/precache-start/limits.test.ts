import { describe, expect, test } from "vitest";
import { anUpgrade, aPreCachingConfig } from "../../../test/support/precache/precache-plan-objects.ts";
import { aStoredUpgrade } from "../../../test/support/precache/precache-snapshots.ts";
import { type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { plannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { bandwidthAnnotations } from "./bandwidth-annotation.ts";
import { limitsOf, linksOf, parallelPulls, readLimits, requiresReady } from "./limits.ts";
import { admit } from "./slots.ts";

type Annotations = Readonly<Record<string, string>>;
const perSite = (value: string, label = "site") => ({
  "hubrelay.dev/max-per-site": value,
  ...(label ? { "hubrelay.dev/site-label": label } : {}),
});
const perRegistry = (value: string) => ({ "hubrelay.dev/max-per-registry": value });
const aConfig = (annotations: Annotations): KubernetesObject => {
  const { apiVersion, kind } = kinds.PreCachingConfig;
  return { apiVersion, kind, metadata: { namespace: "default", name: "config", annotations } };
};

describe("the link of a cluster", () => {
  const annotated = (bandwidth?: string, label?: string) =>
    aConfig({
      ...(bandwidth === undefined ? {} : { "hubrelay.dev/bandwidth": bandwidth }),
      ...(label === undefined ? {} : { "hubrelay.dev/site-label": label }),
    });

  test.for<
    readonly [name: string, objects: readonly KubernetesObject[], link: object | undefined, site?: string]
  >([
    ["no bandwidth is given", [annotated()], undefined],
    ["all have 100 Mbit/s", [annotated("100")], { mbit: 100 }],
    ["its site has 20", [annotated("100, oslo=20", "site")], { mbit: 20, site: "oslo" }, "oslo"],
    ["another site has 20", [annotated("100,oslo=20", "site")], { mbit: 100 }, "bergen"],
    ["sites have no label", [annotated("oslo=20")], undefined, "oslo"],
    ["only the second object has it", [annotated(), annotated("50")], { mbit: 50 }],
    ["both objects have it", [annotated("100"), annotated("50")], { mbit: 100 }],
  ])("When $0, it should be $2", ([, objects, link, site]) => {
    expect(linksOf(objects, () => (site === undefined ? {} : { site }))("sno1")).toEqual(link);
  });

  test("When a bandwidth is invalid, it should be ignored and reported", () => {
    const { bandwidths, issues } = bandwidthAnnotations([annotated("fast,oslo=20")]);
    expect([bandwidths.elsewhere, bandwidths.bySite.get("oslo")]).toEqual([undefined, 20]);
    const path = 'metadata.annotations["hubrelay.dev/bandwidth"]';
    expect(issues).toMatchObject([{ code: "InvalidBandwidth", path, value: "fast" }]);
  });
});

describe("the limits in annotations", () => {
  test.for<
    Readonly<{ annotations: Annotations; site?: object; registries?: Readonly<Record<string, number>> }>
  >([
    { annotations: {} },
    { annotations: perSite("1"), site: { label: "site", max: 1 } },
    { annotations: perSite(" 999999 "), site: { label: "site", max: 999_999 } },
    { annotations: { "hubrelay.dev/site-label": "site" } },
    {
      annotations: perRegistry("registry.example.com:8443=50, quay.io = 10"),
      registries: { "registry.example.com:8443": 50, "quay.io": 10 },
    },
  ])("When they are $annotations, they should be read", ({ annotations, site, registries = {} }) => {
    const limits = readLimits([aStoredUpgrade(["sno1"], { annotations })]);
    expect(limits).toEqual({ site, registries: new Map(Object.entries(registries)), issues: [] });
  });

  const number = "Write a whole number from 1.";
  const list = "Write host[:port]=number, several separated by commas.";
  test.for<readonly [annotations: Annotations, value: string, remedy: string]>([
    [perSite("0"), "0", number],
    [perSite("-1"), "-1", number],
    [perSite("1.5"), "1.5", number],
    [perSite("1000000"), "1000000", number],
    [perSite("5x"), "5x", number],
    [perSite("x5"), "x5", number],
    [perSite("5", ""), "5", "Name the label of a cluster's site in hubrelay.dev/site-label."],
    [perRegistry(""), "", list],
    [perRegistry("quay.io"), "quay.io", list],
    [perRegistry("quay.io=0,a=1"), "quay.io=0", list],
    [perRegistry("a=1, =5"), " =5", list],
    [perRegistry("a=1,https://b=5"), "https://b=5", list],
  ])(
    "When they are %j, an issue should name %j, and one cluster start at a time",
    ([annotations, value, remedy]) => {
      const cgu = aStoredUpgrade(["sno1", "sno2"], { annotations });
      const requested = readLimits([cgu]);
      const [annotation] = Object.keys(annotations);
      expect(requested.issues).toMatchObject([
        {
          code: "InvalidLimit",
          path: `metadata.annotations["${annotation}"]`,
          value,
          message: "Invalid limit; until it is fixed, clusters start one at a time.",
          remedy,
        },
      ]);
      expect(startsOf(cgu, [cgu])).toEqual(["sno1"]);
    },
  );

  test("When upgrade and PreCachingConfig set them, those of the upgrade should count", () => {
    const config = aConfig({ ...perSite("9"), ...perRegistry("quay.io=9") });
    const { site, registries } = readLimits([
      aStoredUpgrade(["sno1"], { annotations: perSite("2") }),
      config,
    ]);
    expect([site?.max, registries.get("quay.io")]).toEqual([2, 9]);
  });
});

const siteOf = (cluster: string) => ({ a: "oslo", b: "bergen" })[cluster.slice(0, 1)];

/** The clusters that start when all of an upgrade wait. */
function startsOf(
  cgu: KubernetesObject,
  annotated: readonly KubernetesObject[],
  others: readonly KubernetesObject[] = [],
): readonly string[] {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error("the upgrade is not planned");
  const limits = limitsOf(upgrade, readLimits(annotated), siteOf, others);
  return admit(upgrade.clusters, [], limits).admitted;
}

describe("how many clusters start", () => {
  const clusters = ["a1", "a2", "a3", "b1", "c1"];
  const digest = `@sha256:${"a".repeat(64)}`;
  const elsewhere = (name: string, states: Annotations, platformImage?: string) =>
    aStoredUpgrade(["x1", "x2", "x3"], { name, states, ...(platformImage ? { platformImage } : {}) });
  const pulling = { x1: "Active", x2: "Starting", x3: "Succeeded" };

  test.for<
    Readonly<{
      what: string;
      maxConcurrency?: number;
      annotations?: Annotations;
      others?: readonly KubernetesObject[];
      starts: readonly string[];
    }>
  >([
    { what: "maxConcurrency is 1", maxConcurrency: 1, starts: ["a1"] },
    { what: "maxConcurrency is 4", maxConcurrency: 4, starts: ["a1", "a2", "a3", "b1"] },
    { what: "maxConcurrency is 0", maxConcurrency: 0, starts: clusters },
    { what: "maxConcurrency is more than there are", maxConcurrency: 9, starts: clusters },
    { what: "one may start at a site", annotations: perSite("1"), starts: ["a1", "b1", "c1"] },
    { what: "two may start at a site", annotations: perSite("2"), starts: ["a1", "a2", "b1", "c1"] },
    { what: "a registry allows two", annotations: perRegistry("quay.io=2"), starts: ["a1", "a2"] },
    { what: "a registry that is not used allows one", annotations: perRegistry("a.io=1"), starts: clusters },
    {
      what: "a registry allows four and other upgrades hold two",
      annotations: perRegistry("quay.io=4"),
      others: [elsewhere("one", pulling), { ...elsewhere("two", pulling), status: {} }],
      starts: ["a1", "a2"],
    },
  ])("When $what, $starts should start", ({ maxConcurrency, annotations = {}, others, starts }) => {
    const cgu = aStoredUpgrade(clusters, {
      annotations,
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    });
    expect(startsOf(cgu, [cgu], others)).toEqual(starts);
  });

  test.for([
    { field: "operatorsIndexes", content: { operatorsIndexes: ["registry.example.com/index:v4.20"] } },
    { field: "additionalImages", content: { additionalImages: [`registry.example.com/app${digest}`] } },
  ])("When a registry serves only $field, its limit should count", ({ content }) => {
    const { status, ...cgu } = aStoredUpgrade(clusters, {
      annotations: perRegistry("registry.example.com=1"),
    });
    const { precaching } = Object(status);
    const upgrade = { ...cgu, status: { precaching: { ...precaching, spec: content } } };
    expect(startsOf(upgrade, [upgrade])).toEqual(["a1"]);
  });

  test.for([
    { annotations: perSite("1"), reason: "site oslo allows 1" },
    { annotations: perRegistry("quay.io=1"), reason: "registry quay.io allows 1" },
    { annotations: perSite("x"), reason: "an invalid limit allows 1" },
    { annotations: {}, reason: "maxConcurrency allows 1" },
  ])("When a cluster waits, it should say why: $reason", ({ annotations, reason }) => {
    const maxConcurrency = Object.keys(annotations).length > 0 ? 5 : 1;
    const cgu = aStoredUpgrade(clusters, { annotations, maxConcurrency });
    const upgrade = plannedUpgrade(cgu);
    const limits = upgrade ? limitsOf(upgrade, readLimits([cgu]), siteOf, []) : () => [];
    expect(admit(["a2"], ["a1"], limits).waiting.get("a2")).toBe(`Waits for a slot: ${reason} at a time.`);
  });
});

const asking = (value: string) => ({ annotations: { "hubrelay.dev/parallel-pulls": value } });

test.for<readonly [string, number]>([
  ["1", 1],
  [" 4 ", 4],
  ["99", 99],
])("When %s pulls are requested, it should be %d", ([value, max]) => {
  expect(parallelPulls([anUpgrade({}, asking(value))])).toEqual({ max, issues: [] });
});

test.for(["", "0", "-1", "1.5", "100", "all", "4,oslo=2"])(
  "When '%s' is requested, it should be one at a time, and reported with a remedy",
  (value) => {
    const { max, issues } = parallelPulls([anUpgrade({}, asking(value))]);
    expect(max).toBe(1);
    expect(issues).toEqual([
      expect.objectContaining({
        code: "InvalidLimit",
        severity: "error",
        path: 'metadata.annotations["hubrelay.dev/parallel-pulls"]',
        value,
        remedy: "Write a whole number from 1 to 99.",
      }),
    ]);
  },
);

test("When the upgrade and its PreCachingConfig set it, the upgrade should win; when neither does, nothing be set", () => {
  const config = aPreCachingConfig({}, asking("8"));
  expect(parallelPulls([anUpgrade({}, asking("2")), config]).max).toBe(2);
  expect(parallelPulls([anUpgrade(), config]).max).toBe(8);
  expect(parallelPulls([anUpgrade()])).toEqual({ max: undefined, issues: [] });
});

const upgrade = (value: string): KubernetesObject =>
  aStoredUpgrade(["sno1"], { annotations: { "hubrelay.dev/require-ready": value } });
const { apiVersion, kind } = kinds.PreCachingConfig;
const config = (value: string): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: "c", annotations: { "hubrelay.dev/require-ready": value } },
});

test.for<[string, readonly KubernetesObject[], boolean]>([
  ["nothing sets it", [aStoredUpgrade(["sno1"])], false],
  ["the upgrade sets it", [upgrade("true")], true],
  ["its PreCachingConfig sets it", [aStoredUpgrade(["sno1"]), config("true")], true],
  ["the upgrade does not want what its PreCachingConfig sets", [upgrade("false"), config("true")], false],
])("When %s, ready images should be required: %s", ([, objects, required]) => {
  expect(requiresReady(objects)).toEqual({ required, issues: [] });
});

test.for(["", "yes", "True", " true"])("When it is %j, it should be an error, and clusters wait", (value) => {
  expect(requiresReady([upgrade(value)])).toMatchObject({
    required: true,
    issues: [
      {
        code: "RequireReadyInvalid",
        path: 'metadata.annotations["hubrelay.dev/require-ready"]',
        value,
        message:
          "It is neither true nor false; until it is fixed, clusters wait until their images are ready.",
        remedy: 'Write "true" or "false".',
      },
    ],
  });
});
