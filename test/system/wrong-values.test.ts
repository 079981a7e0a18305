import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aNodePool } from "../support/hosted-clusters/node-pools.ts";
import {
  aCatalogSource,
  aManagedCluster,
  anOverridesConfigMap,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aSubscription,
  aWantedRelease,
  digestOf,
} from "../support/precache/precache-plan-objects.ts";
import { aWindow } from "../support/precache/precache-windows.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const wrongValues = {
  image: [
    "quay.io/acme/app@sha256:<TBD>",
    "$imageUrl",
    `quay.io/acme/app@${digestOf("A")}`,
    "quay.io/acme/app:v1:v2",
    "https://quay.io/acme/app:v1",
    "quay.io/Acme/app:v1",
    "quay.io/acme app",
    "release-image",
  ],
  version: ["<TBD>", "$version", "4.20", "v4.20.4", "4.20.x"],
  location: ["https://mirror.lab:8443/acme", "<mirror>/acme", "mirror.lab/acme:v1", "Mirror.lab/ACME"],
  host: ["https://quay.io", "quay.io/acme", "<registry>", "quay.io:port"],
  timeZone: ["<TBD>", "BST", "+02:00", "Europe/Nowhere"],
  day: ["<TBD>", "2026-02-30", "2026-12-24T00:00:00Z", "24.12.2026"],
  windows: ["fleet/night/more", "fleet/", "/night", "$window", "good,fleet/night/more"],
} as const;

type Entrance = Readonly<{
  kind: keyof typeof wrongValues;
  object: string;
  path: string;
  /** `precache plan` reads it, too. */
  isPlanned?: true;
  objects(value: string): readonly KubernetesObject[];
}>;

const clusters = [aManagedCluster("sno1"), aManagedCluster("sno2")];
const policy = (...objects: readonly Readonly<Record<string, unknown>>[]) => [
  anUpgrade(),
  aPolicy("platform", objects),
];
const specIn = (index: number) =>
  `spec.policy-templates[0].objectDefinition.spec.object-templates[${index}].objectDefinition.spec`;
const raw = (value: string) =>
  `- complianceType: musthave\n  objectDefinition: ${JSON.stringify(aWantedRelease({ desiredUpdate: { image: value } }))}`;
const overrides = (fields: object) => [
  anUpgrade({ preCachingConfigRef: { name: "config" } }),
  aPolicy("platform", [aWantedRelease(), aSubscription("ptp", "stable")]),
  aPreCachingConfig({ overrides: fields }),
];
const configMap = (data: Readonly<Record<string, string>>) => [
  ...policy(aWantedRelease()),
  anOverridesConfigMap(data),
];
const hosted = (spec: Readonly<Record<string, unknown>>) => [aHostedCluster({ spec })];
const annotated = (annotations: Readonly<Record<string, string>>) => [anUpgrade({}, { annotations })];
const catalogImages = (value: string) =>
  Object.fromEntries(
    ["certified-operators", "community-operators", "redhat-marketplace", "redhat-operators"].map((name) => [
      `hypershift.openshift.io/${name}-catalog-image`,
      name === "redhat-marketplace" ? value : `quay.io/acme/${name}@${digestOf("1")}`,
    ]),
  );

const inPolicy = { object: "Policy/platform", isPlanned: true } as const;
const inConfig = { object: "PreCachingConfig/config", kind: "image", isPlanned: true } as const;
const inConfigMap = { object: "ConfigMap/cluster-group-upgrade-overrides", kind: "image" } as const;
const inHosted = { object: "HostedCluster/shop" } as const;
const onUpgrade = { object: "ClusterGroupUpgrade/upgrade" } as const;
const inWindow = { object: "MaintenanceWindow/night" } as const;
const annotation = (name: string) => `metadata.annotations["${name}"]`;

const entrances: readonly Entrance[] = [
  {
    ...inPolicy,
    kind: "image",
    path: `${specIn(0)}.desiredUpdate.image`,
    objects: (image) => policy(aWantedRelease({ desiredUpdate: { image, version: "4.20.4" } })),
  },
  {
    ...inPolicy,
    kind: "image",
    path: "spec.policy-templates[0].objectDefinition.spec.object-templates-raw[0].objectDefinition.spec.desiredUpdate.image",
    objects: (value) => [anUpgrade(), aPolicy("platform", [], undefined, { raw: raw(value) })],
  },
  {
    ...inPolicy,
    kind: "image",
    path: `${specIn(1)}.image`,
    objects: (image) => policy(aWantedRelease(), aCatalogSource(image), aSubscription("ptp", "stable")),
  },
  {
    ...inPolicy,
    kind: "version",
    path: `${specIn(0)}.desiredUpdate.version`,
    objects: (version) =>
      policy(aWantedRelease({ desiredUpdate: { version, image: `quay.io/a/b@${digestOf("a")}` } })),
  },
  {
    ...inPolicy,
    kind: "version",
    path: `${specIn(0)}.desiredUpdate.version`,
    objects: (version) =>
      policy(
        aWantedRelease({ upstream: "https://g.lab", channel: "stable-4.20", desiredUpdate: { version } }),
      ),
  },
  {
    ...inConfig,
    path: "spec.overrides.platformImage",
    objects: (platformImage) => overrides({ platformImage }),
  },
  {
    ...inConfig,
    path: "spec.overrides.preCacheImage",
    objects: (preCacheImage) => overrides({ preCacheImage }),
  },
  {
    ...inConfig,
    path: "spec.overrides.operatorsIndexes[0]",
    objects: (index) => overrides({ operatorsIndexes: [index] }),
  },
  ...(["platform.image", "precache.image", "operators.indexes"] as const).map(
    (key): Entrance => ({
      ...inConfigMap,
      isPlanned: true,
      path: `data["${key}"]`,
      objects: (value) => configMap({ [key]: value, "operators.packagesAndChannels": "ptp:stable" }),
    }),
  ),
  {
    ...inHosted,
    kind: "image",
    path: "spec.release.image",
    objects: (image) => hosted({ release: { image } }),
  },
  {
    ...inHosted,
    kind: "image",
    path: "spec.controlPlaneRelease.image",
    objects: (image) => hosted({ controlPlaneRelease: { image } }),
  },
  {
    ...inHosted,
    kind: "image",
    path: annotation("hypershift.openshift.io/redhat-marketplace-catalog-image"),
    objects: (value) => [
      aHostedCluster({
        annotations: catalogImages(value.includes("@sha256:") ? value : `${value}@sha256:x`),
      }),
    ],
  },
  {
    ...inHosted,
    kind: "location",
    path: "spec.imageContentSources[0].mirrors[0]",
    objects: (mirror) => hosted({ imageContentSources: [{ source: "quay.io/acme", mirrors: [mirror] }] }),
  },
  {
    ...inHosted,
    kind: "location",
    path: "spec.imageContentSources[0].source",
    objects: (source) => hosted({ imageContentSources: [{ source, mirrors: ["mirror.lab/acme"] }] }),
  },
  {
    kind: "image",
    object: "NodePool/blue",
    path: "spec.release.image",
    objects: (image) => [aNodePool("blue", { release: { image } })],
  },
  {
    ...onUpgrade,
    kind: "host",
    path: annotation("hubrelay.dev/max-per-registry"),
    objects: (host) => annotated({ "hubrelay.dev/max-per-registry": `${host}=5` }),
  },
  ...[anUpgrade(), aHostedCluster(), aPreCachingConfig({})].map(
    (named): Entrance => ({
      kind: "windows",
      object: `${named.kind}/${named.metadata.name}`,
      path: annotation("hubrelay.dev/maintenance-window"),
      objects: (value) => [
        {
          ...named,
          metadata: { ...named.metadata, annotations: { "hubrelay.dev/maintenance-window": value } },
        },
      ],
    }),
  ),
  {
    ...onUpgrade,
    kind: "windows",
    path: annotation("hubrelay.dev/enable-after-precaching"),
    objects: (value) => annotated({ "hubrelay.dev/enable-after-precaching": `window=${value}` }),
  },
  {
    ...inWindow,
    kind: "timeZone",
    path: "spec.timeZone",
    objects: (timeZone) => [aWindow("night", { timeZone })],
  },
  ...(["from", "to"] as const).map(
    (field): Entrance => ({
      ...inWindow,
      kind: "day",
      path: `spec.exclusions[0].${field}`,
      objects: (value) => [
        aWindow("night", { exclusions: [{ from: "2026-12-24", to: "2026-12-24", [field]: value }] }),
      ],
    }),
  ),
];

const manifests = (objects: readonly KubernetesObject[]) => objects.map(writeManifest).join("---\n");
const isMeant =
  ({ object, path }: Entrance) =>
  (issue: Readonly<{ severity: string; object: Readonly<{ kind: string; name: string }>; path: string }>) =>
    issue.severity === "error" &&
    `${issue.object.kind}/${issue.object.name}` === object &&
    issue.path === path;

const folder = sharedFolder({
  "graph.json": JSON.stringify({
    nodes: [
      { version: "4.20.3", payload: "quay.io/acme/ocp@sha256:<TBD>" },
      { version: "4.20.4", payload: `quay.io/acme/ocp@${digestOf("4")}` },
    ],
  }),
});
const graph = () => ["--update-graph", join(folder.path, "graph.json")];
const byGraph = (version: string) =>
  aWantedRelease({ upstream: "https://g.lab", channel: "stable-4.20", desiredUpdate: { version } });

describe("a wrong value in a manifest", () => {
  test.for(entrances.map((entrance, index) => ({ ...entrance, index })))(
    "When it is at $object $path, validate should report where it is, and what to write",
    async (entrance) => {
      // Each place has the first and one of the others; places of a kind take turns.
      const [first, ...others] = wrongValues[entrance.kind];
      for (const value of [first, others[entrance.index % others.length] ?? first]) {
        const stdin = manifests([...clusters, ...entrance.objects(value)]);
        const { stdout, exitCode } = await hubrelay(["validate", "-f", "-", "-o", "json"], { stdin });
        const found = JSON.parse(stdout).issues.find(isMeant(entrance));
        expect([value, exitCode, found]).toMatchObject([value, 1, { remedy: expect.stringMatching(/\w/) }]);
        // The wrong item of a list; a name gets its namespace; of a text with words only its length is shown.
        const shown = [found.value, value].map((one) => (/ /.test(one) ? "" : one));
        expect(value.includes(shown[0]) || found.value.includes(shown[1])).toBe(true);
      }
    },
  );

  test.for(entrances.filter(({ isPlanned }) => isPlanned))(
    "When it is at $object $path, precache plan should report the same, and start nothing",
    async (entrance) => {
      const [value] = wrongValues[entrance.kind];
      const stdin = manifests([...clusters, ...entrance.objects(value)]);
      const args = ["precache", "plan", "-f", "-", "-o", "json", ...graph()];
      const { stdout, exitCode } = await hubrelay(args, { stdin });
      const [plan] = JSON.parse(stdout);
      expect(exitCode).toBe(1);
      expect(plan.issues.find(isMeant(entrance))).toBeDefined();
      expect(plan.conditions.at(-1)).toMatchObject({
        status: "False",
        message: expect.stringContaining(entrance.path),
      });
      expect(plan.clusters.map(({ action }: { action: string }) => action)).toEqual(["wait", "wait"]);
    },
  );

  test("When another upgrade is fine, it should be planned all the same", async () => {
    const good = { name: "good", namespace: "ztp" };
    const objects = [
      ...clusters,
      ...policy(aWantedRelease({ desiredUpdate: { image: "$imageUrl" } })),
      anUpgrade({ managedPolicies: ["fine"] }, good),
      aPolicy("fine", [byGraph("4.20.4")]),
    ];
    const { stdout, exitCode } = await hubrelay(["precache", "plan", "-f", "-", "-o", "json", ...graph()], {
      stdin: manifests(objects),
    });
    const planned = JSON.parse(stdout).map(({ name, spec }: { name: string; spec: object }) => [name, spec]);
    expect(planned).toMatchObject([
      ["upgrade", { platformImage: "" }],
      ["good", { platformImage: `quay.io/acme/ocp@${digestOf("4")}` }],
    ]);
    expect(exitCode).toBe(1);
  });

  test("When the update graph has it, nothing should start", async () => {
    const stdin = manifests([...clusters, ...policy(byGraph("4.20.3"))]);
    const { stdout, exitCode } = await hubrelay(["precache", "plan", "-f", "-", "-o", "json", ...graph()], {
      stdin,
    });
    const [{ clusters: planned, issues }] = JSON.parse(stdout);
    expect(planned.map(({ action }: { action: string }) => action)).toEqual(["wait", "wait"]);
    expect(issues[0].message).toContain(
      "quay.io/acme/ocp@sha256:<TBD> for version 4.20.3: It is not an image",
    );
    expect(exitCode).toBe(1);
  });
});

describe("a wrong value of an option or a setting", () => {
  const stdin = manifests([...clusters, ...policy(aWantedRelease())]);
  const plan = ["precache", "plan", "-f", "-"];

  test.for<Readonly<{ args: readonly string[]; values: readonly string[] }>>([
    { args: ["validate", "-f", "-", "--release-image"], values: wrongValues.image },
    { args: ["ready", "-f", "-", "--release"], values: [...wrongValues.image, ...wrongValues.version] },
    { args: ["ready", "-f", "-", "--catalog"], values: wrongValues.image },
    { args: [...plan, "--hub-version"], values: ["<TBD>", "$version", "4.20.x"] },
    { args: ["validate", "-f", "-", "--release-version"], values: ["<TBD>", "4.x"] },
    { args: ["hosted", "-f", "-", "--to-release"], values: ["<TBD>", "4.x"] },
    { args: [...plan, "--by"], values: ["<TBD>", "2026-02-30T00:00:00Z", "2026-02-30", "sat"] },
    { args: [...plan, "--size"], values: ["<TBD>", "18", "0GiB", "1.2.3GiB", "quay.io/a=18"] },
    { args: [...plan, "--size", "2GiB", "--size"], values: ["quay.io/a=1GiB"] },
    { args: [...plan, "--time-zone"], values: ["<TBD>", "BST", "+02:00"] },
  ])("When it follows $args, the command should name the option and say what to write", async (given) => {
    const option = given.args.at(-1);
    for (const value of given.values) {
      const { stderr, exitCode } = await hubrelay([...given.args, value], { stdin });
      expect([value, exitCode]).toEqual([value, 2]);
      expect(stderr).toMatch(new RegExp(`option '${option} .* argument '.*' is invalid\\. .*\\w`, "s"));
    }
  });

  test.for([
    { variable: "HUBRELAY_WORKLOAD_IMAGE", values: wrongValues.image },
    { variable: "HUBRELAY_INDEX_REPOSITORIES", values: wrongValues.location },
    { variable: "HUBRELAY_HUB_VERSION", values: ["<TBD>", "$version", "4.20.x"] },
  ])("When it is in $variable, the command should name it and say what to write", async (given) => {
    for (const value of given.values) {
      const { stderr, exitCode } = await hubrelay(plan, { stdin, variables: { [given.variable]: value } });
      expect([value, exitCode]).toEqual([value, 2]);
      expect(stderr).toMatch(new RegExp(`${given.variable} is not an? .*; it should be like`));
    }
  });
});
