import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { isRecord, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readMirrorObjects } from "#shared/domain/mirrors/input/read-mirror-sets.ts";
import { readUpgradeSpec } from "#shared/domain/precache-model/upgrade-spec.ts";
import { formIssues } from "#shared/domain/precache-plan/selection/selection-issues.ts";
import { readPreCachingConfig } from "#shared/domain/precache-plan/values/pre-caching-config.ts";
import { readinessReport, readReadiness } from "#shared/domain/ready/record/readiness-report.ts";
import { waitedForAnnotation, waitingLabels } from "#shared/domain/windows/cost-window.ts";
import { waitsForWindow } from "#shared/domain/windows/hold-reasons.ts";
import { checked, ended } from "../cli/simulation/reported-status.ts";
import { paths } from "../infra/paths.ts";
import { aStoredUpgrade } from "./support/precache/precache-snapshots.ts";
import { aPlannedUpgrade, precacheSystem } from "./support/precache/precache-system.ts";
import { aWindow, pulling, until, windowStatus } from "./support/precache/precache-windows.ts";
import { heldFleet } from "./support/ready/ready-fleet.ts";

/*
 * hubrelay's own kinds have one list of fields, from which reader and definition come; what writes them is compared here.
 * TALM's kinds and the source policies have a definition in infra/crds besides their reader. The other kinds that
 * hubrelay reads have their definitions in other projects: the cluster tier takes them from those projects' Go modules.
 */

async function schemaIn(file: string): Promise<UnknownRecord> {
  const { spec } = parse(await readFile(join(paths.root, "infra/crds", file), "utf8"));
  return spec.versions[0].schema.openAPIV3Schema;
}

/** Returns the schema at a path of properties, `items` and `additionalProperties`. */
function schemaAt(schema: unknown, ...steps: readonly string[]): UnknownRecord {
  const found = steps.reduce<unknown>((part, step) => (isRecord(part) ? part[step] : undefined), schema);
  if (!isRecord(found)) throw new Error(`the definition has nothing at ${steps.join(".")}`);
  return found;
}

const fieldsOf = (schema: UnknownRecord): readonly string[] => Object.keys(schemaAt(schema, "properties"));

/** Returns the schema of objects with no other fields. */
function closed(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { properties, items, additionalProperties } = schema;
  if (!isRecord(properties))
    return {
      ...schema,
      ...(items ? { items: closed(items) } : {}),
      ...(additionalProperties ? { additionalProperties: closed(additionalProperties) } : {}),
    };
  const fields = Object.entries(properties).map(([name, one]) => [name, closed(one)] as const);
  return { ...schema, properties: Object.fromEntries(fields), additionalProperties: false };
}

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

/** Returns what the definition refuses or drops of an object. */
function refusals(schema: UnknownRecord, object: unknown): readonly string[] {
  const validate = ajv.compile(Object(closed(schema)));
  validate(object);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(" "),
  );
}

const window = await schemaIn("maintenancewindows.yaml");
const report = await schemaIn("precachingreports.yaml");
const readiness = await schemaIn("readinessreports.yaml");
const imageRecord = schemaAt(readiness, "properties", "images", "additionalProperties");
const record = schemaAt(report, "properties", "clusters", "additionalProperties");
const config = schemaAt(await schemaIn("talm/precachingconfigs.yaml"), "properties", "spec");
const upgrade = schemaAt(await schemaIn("talm/clustergroupupgrades.yaml"), "properties", "spec");

/** The fields that a reader names as known when it finds another one. */
const namedIn = (remedy: string | undefined) =>
  /fields here are (.*)\.$/.exec(remedy ?? "")?.[1]?.split(", ") ?? [];

test.for([
  { kind: kinds.ImageSourceDigestPolicy, list: "repositoryDigestMirrors" },
  { kind: kinds.ImageSourceTagPolicy, list: "repositoryTagMirrors" },
])(
  "When a source policy with $list is read, its fields should be those of its definition",
  async ({ kind: { apiVersion, kind, plural }, list }) => {
    const schema = await schemaIn(`source-policies/${plural}.yaml`);
    const rule = schemaAt(schema, "properties", "spec", "properties", list, "items");
    const spec = { odd: 1, [list]: [{ source: "a.io", mirrors: ["m.io"], odd: 1 }] };
    const { issues } = readMirrorObjects([{ apiVersion, kind, metadata: { name: "policy" }, spec }]);
    expect(issues.map(({ path }) => path)).toEqual(["spec.odd", `spec.${list}[0].odd`]);
    expect(issues.map(({ remedy }) => namedIn(remedy))).toEqual([[list], fieldsOf(rule)]);
  },
);

/** A night in which one cluster has more to pull than fits, another waits, and so does a pool. */
async function aNight() {
  const system = precacheSystem();
  system.hub.put(aWindow("night", { allow: { maxCost: { worker: "drain" } } }));
  system.hub.put({
    ...{ apiVersion: kinds.Event.apiVersion, kind: kinds.Event.kind, reason: waitsForWindow },
    metadata: {
      namespace: "default",
      name: "worker",
      labels: waitingLabels,
      annotations: { [waitedForAnnotation]: "default/night" },
    },
    involvedObject: { kind: "MachineConfigPool", name: "worker" },
  });
  const annotations = { "hubrelay.dev/bandwidth": "1" };
  system.plan(aPlannedUpgrade(["sno1", "sno2"], { annotations, maxConcurrency: 1 }));
  await until(system, "2026-03-01T12:00:00Z");
  const closed = windowStatus(system, "night");
  await until(system, "2026-03-02T01:00:00Z");
  const progress = { bytesTotal: "9000000000", bytesDone: "1", imagesDone: "1" };
  system.report({ ...pulling, progress: { ...progress, imagesTotal: "2" } });
  system.resync();
  await system.settle();
  await until(system, "2026-03-02T01:02:00Z");
  const open = windowStatus(system, "night");
  const reports = system.hub.all(kinds.PreCachingReport);
  const whole = { ...progress, bytesDone: progress.bytesTotal, imagesTotal: "2" };
  system.report({ job: { succeeded: 1, complete: "True" }, progress: whole });
  await system.settle();
  return {
    statuses: [closed, open],
    reports: [...reports, ...system.hub.all(kinds.PreCachingReport)],
  };
}
const night = await aNight();

test("When the status of a MaintenanceWindow is written, its fields should be those of the definition", () => {
  const schema = schemaAt(window, "properties", "status");
  for (const status of night.statuses) expect(refusals(schema, status)).toEqual([]);
  const written = new Set(night.statuses.flatMap((status) => Object.keys(status)));
  expect(fieldsOf(schema).filter((field) => !written.has(field))).toEqual([]);
});

test("When a PreCachingReport is written, its fields should be those of the definition", () => {
  expect(night.reports.length).toBeGreaterThan(0);
  for (const object of night.reports) expect(refusals(report, object)).toEqual([]);
  const written = new Set(night.reports.flatMap((object) => Object.keys(object)));
  expect(fieldsOf(report).filter((field) => !written.has(field))).toEqual([]);
});

test("When a ReadinessReport is written, its fields should be those of the definition", async () => {
  const fleet = heldFleet();
  fleet.lose(0);
  await fleet.finish();
  const reports = [...fleet.hub.all(kinds.ReadinessReport)];
  // Then the release itself cannot be read.
  fleet.images.clear();
  const other = `quay.io/openshift-release-dev/ocp-release@sha256:${"b".repeat(64)}`;
  fleet.plan(
    aPlannedUpgrade(["sno1"], {
      platformImage: other,
      annotations: { "hubrelay.dev/require-ready": "true" },
    }),
  );
  await fleet.finish();
  reports.push(...fleet.hub.all(kinds.ReadinessReport));
  // And a registry that nodes ask first does not respond.
  const unresponsive = {
    status: "ready",
    at: "2026-03-01T02:00:00Z",
    basis: "b",
    unresponsive: ["hangs.lan/a:1"],
  };
  const { images, ...rest } = reports[0] ?? aStoredUpgrade(["sno1"]);
  const warnings = [{ code: "RegistryUnresponsive", message: "Registry hangs.lan did not respond." }];
  const accessEnds = [{ what: "token", name: "quay.io", ends: "2026-03-10T00:00:00Z" }];
  const read = readReadiness({
    ...rest,
    accessEnds,
    images: { ...Object(images), "quay.io/a:1": unresponsive },
    warnings,
  });
  reports.push(readinessReport(aStoredUpgrade(["sno1"]), undefined, read));
  expect(reports).toHaveLength(3);
  for (const object of reports) expect(refusals(readiness, object)).toEqual([]);
  const written = new Set(reports.flatMap((object) => Object.keys(object)));
  expect(fieldsOf(readiness).filter((field) => !written.has(field))).toEqual([]);
  const records = reports.flatMap(({ images }) => Object.values(Object(images)));
  expect([...new Set(records.flatMap((one) => Object.keys(Object(one))))].sort()).toEqual(
    fieldsOf(imageRecord).toSorted(),
  );
});

test("When a check is recorded, its fields should be those of the definition", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night", { clusterSelector: undefined }));
  const annotations = {
    "hubrelay.dev/check-before": "1h",
    "hubrelay.dev/enable-after-precaching": "window=night",
  };
  system.plan(aPlannedUpgrade(["sno1"], { annotations }));
  await system.settle();
  system.report(ended("succeeds"));
  await system.settle();
  await until(system, "2026-03-03T00:00:00Z");
  system.reportCheck(checked(1));
  await system.settle();
  for (const object of system.hub.all(kinds.PreCachingReport)) expect(refusals(report, object)).toEqual([]);
  const { check } = system.records().sno1 ?? {};
  expect(Object.keys(Object(check)).sort()).toEqual(
    fieldsOf(schemaAt(record, "properties", "check")).toSorted(),
  );
});

test.for([
  { path: "spec", spec: { odd: 1 }, schema: config },
  {
    path: "spec.overrides",
    spec: { overrides: { odd: 1 } },
    schema: schemaAt(config, "properties", "overrides"),
  },
])(
  "When a PreCachingConfig is read, the fields of $path should be those of its definition",
  ({ path, spec, schema }) => {
    const { apiVersion, kind } = kinds.PreCachingConfig;
    const { issues } = readPreCachingConfig({ apiVersion, kind, metadata: { name: "config" }, spec });
    expect(issues).toMatchObject([{ code: "UnknownField", path: `${path}.odd` }]);
    expect(namedIn(issues[0]?.remedy)).toEqual(fieldsOf(schema));
  },
);

const change = (moment: string) => ["properties", "actions", "properties", moment] as const;
test.for([
  { path: "spec", schema: [], spec: { odd: 1 } },
  {
    path: "spec.preCachingConfigRef",
    schema: ["properties", "preCachingConfigRef"],
    spec: { preCachingConfigRef: { odd: 1 } },
  },
  {
    path: "spec.remediationStrategy",
    schema: ["properties", "remediationStrategy"],
    spec: { remediationStrategy: { odd: 1 } },
  },
  {
    path: "spec.blockingCRs[1]",
    schema: ["properties", "blockingCRs", "items"],
    spec: { blockingCRs: [{}, { odd: 1 }] },
  },
  { path: "spec.actions", schema: ["properties", "actions"], spec: { actions: { odd: 1 } } },
  {
    path: "spec.actions.beforeEnable",
    schema: change("beforeEnable"),
    spec: { actions: { beforeEnable: { odd: 1 } } },
  },
  {
    path: "spec.actions.afterCompletion",
    schema: change("afterCompletion"),
    spec: { actions: { afterCompletion: { odd: 1 } } },
  },
])(
  "When a ClusterGroupUpgrade is planned, the fields of $path should be those of its definition",
  ({ path, schema, spec }) => {
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    const cgu = { apiVersion, kind, metadata: { name: "u" }, spec };
    const issues = formIssues(cgu, readUpgradeSpec(cgu)).filter(({ code }) => code === "UnknownField");
    expect(issues).toMatchObject([{ severity: "warning", path: `${path}.odd` }]);
    expect(namedIn(issues[0]?.remedy)).toEqual(fieldsOf(schemaAt(upgrade, ...schema)));
  },
);
