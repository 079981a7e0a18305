import { expect, test } from "vitest";
import { aCheckRun, aRun, release } from "../../../../test/support/precache/precache-objects.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { checkRunOf, isWorkName, runOf, workName } from "../../precache-model/work-identity.ts";
import { feedbackOf } from "../../precache-progress/feedback.ts";
import { isSuspended, manifestWork, withSuspend } from "./manifest-work.ts";
import type { WorkInput } from "./workload-objects.ts";

const input: WorkInput = {
  run: aRun,
  content: {
    platformImage: release,
    operatorsIndexes: ["registry.example.com/index:v4.18"],
    additionalImages: ["quay.io/a/app@sha256:1", "quay.io/b/app@sha256:2"],
    spaceRequired: "45",
  },
  image: "quay.io/hubrelay/precache:v1",
  timeoutMinutes: 90,
};
const work = manifestWork("sno1", input);

function manifestsOf({ spec }: KubernetesObject): readonly KubernetesObject[] {
  return Object(spec).workload.manifests;
}
function named(kind: string, prefix = "", of = work): KubernetesObject {
  const found = manifestsOf(of).find((one) => one.kind === kind && one.metadata.name.startsWith(prefix));
  if (!found) throw new Error(`there is no ${kind} ${prefix} in the work`);
  return found;
}

test("When a work is made, it should lie in the cluster's namespace and say whose it is", () => {
  expect(work).toMatchObject({
    apiVersion: "work.open-cluster-management.io/v1",
    kind: "ManifestWork",
    metadata: {
      namespace: "sno1",
      name: workName(aRun),
      labels: { "hubrelay.dev/cgu": "upgrade", "hubrelay.dev/cgu-namespace": "default" },
    },
  });
  expect(runOf(work)).toEqual(aRun);
});

test("When a check is made, its work should not be a run, have names of its own, and run another program", () => {
  const check = manifestWork("sno1", { ...input, run: aCheckRun });
  expect([runOf(check), feedbackOf(check)]).toEqual([undefined, undefined]);
  expect(checkRunOf(check)).toEqual(aCheckRun);
  expect(checkRunOf(work)).toBeUndefined();
  expect([check, work].map(({ metadata }) => isWorkName(metadata.name))).toEqual([true, true]);
  const names = (of: KubernetesObject) => manifestsOf(of).map(({ metadata }) => metadata.name);
  const shared = names(work).filter((name) => names(check).includes(name));
  expect([...new Set(shared)]).toEqual([
    "openshift-talo-pre-cache",
    "pre-cache-agent",
    "hubrelay-pre-cache-privileged",
    "hubrelay-pre-cache-reader",
  ]);
  const programOf = (of: KubernetesObject) =>
    Object(named("Job", "", of).spec).template.spec.containers[0].args;
  expect([programOf(work), programOf(check)]).toEqual([
    ["/opt/precache/precache.sh"],
    ["/opt/precache/check.sh"],
  ]);
});

test("When a CGU has the longest name, its labels should still be valid and its run be found", () => {
  const run = { ...aRun, cgu: { namespace: "default", name: "u".repeat(253) } };
  const { metadata } = manifestWork("sno1", { ...input, run });
  for (const value of Object.values(metadata.labels ?? {}))
    expect(value).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  expect(runOf(manifestWork("sno1", { ...input, run }))).toEqual(run);
});

test.for([
  { what: "revision", other: { ...aRun, revision: "0000000000" } },
  { what: "CGU", other: { ...aRun, cgu: { namespace: "edge", name: "upgrade" } } },
  { what: "attempt", other: { ...aRun, attempt: 2 } },
])("When the $what is another, the work and its Job should have other names", ({ other }) => {
  const another = manifestWork("sno1", { ...input, run: other });
  expect(another.metadata.name).not.toBe(work.metadata.name);
  expect(named("Job", "", another).metadata.name).not.toBe(named("Job").metadata.name);
  expect(named("ConfigMap", "pre-cache-spec", another).metadata.name).not.toBe(
    named("ConfigMap", "pre-cache-spec").metadata.name,
  );
});

test("When the content is handed over, every list should end with a newline and the size be digits", () => {
  expect(named("ConfigMap", "pre-cache-spec").data).toEqual({
    "platform.image": release,
    "operators.indexes": "registry.example.com/index:v4.18\n",
    "operators.packagesAndChannels": "",
    excludePrecachePatterns: "",
    additionalImages: "quay.io/a/app@sha256:1\nquay.io/b/app@sha256:2\n",
    spaceRequired: "45",
  });
});

test("When a package has a version besides its channel, the workload should get it in a list of its own", () => {
  const operatorsPackagesAndChannels = ["a:stable", "b:stable:b.v1", "b:stable", "c:d:e:f"];
  const pinned = manifestWork("sno1", { ...input, content: { operatorsPackagesAndChannels } });
  expect(named("ConfigMap", "pre-cache-spec", pinned).data).toMatchObject({
    "operators.packagesAndChannels": "a:stable\nb:stable\nc:d:e:f\n",
    "operators.startingCSVs": "b:b.v1\n",
  });
});

test("When the Job is made, it should try once, end at the CGU's timeout and run on one node's management CPUs", () => {
  expect(named("Job").spec).toMatchObject({
    backoffLimit: 0,
    activeDeadlineSeconds: 5400,
    suspend: false,
    template: {
      metadata: {
        annotations: { "target.workload.openshift.io/management": '{"effect":"PreferredDuringScheduling"}' },
      },
      spec: { restartPolicy: "Never", serviceAccountName: "pre-cache-agent" },
    },
  });
  expect(Object(named("Job").spec)).not.toHaveProperty("ttlSecondsAfterFinished");
});

test.for([
  { parallelPulls: undefined, limit: "4096Mi" },
  { parallelPulls: 1, limit: "4096Mi" },
  { parallelPulls: 12, limit: "4096Mi" },
  { parallelPulls: 99, limit: "26368Mi" },
])(
  "When $parallelPulls images are pulled at a time, the Job's limit of memory should be $limit, its request small",
  ({ parallelPulls, limit }) => {
    const some = manifestWork("sno1", {
      ...input,
      ...(parallelPulls === undefined ? {} : { parallelPulls }),
    });
    const [container] = Object(named("Job", "", some).spec).template.spec.containers;
    expect(container.resources).toEqual({ requests: { memory: "128Mi" }, limits: { memory: limit } });
  },
);

test("When the agent configures the Job, it should apply it by field, read single values and know when it is done", () => {
  const { manifestConfigs, deleteOption } = Object(work.spec);
  const job = named("Job").metadata;
  expect(manifestConfigs[0]).toMatchObject({
    resourceIdentifier: { group: "batch", resource: "jobs", namespace: job.namespace, name: job.name },
    updateStrategy: { type: "ServerSideApply" },
    conditionRules: [{ condition: "Complete", type: "WellKnownConditions" }],
  });
  const paths = manifestConfigs.flatMap((config: { feedbackRules: { jsonPaths: { path: string }[] }[] }) =>
    config.feedbackRules.flatMap(({ jsonPaths }) => jsonPaths.map(({ path }) => path)),
  );
  expect(paths).toContain('.status.conditions[?(@.type=="Failed")].reason');
  expect(paths).toContain(".data.imagesDone");
  const rules = manifestConfigs.flatMap(({ feedbackRules }: { feedbackRules: object[] }) => feedbackRules);
  expect(rules).toMatchObject([{ type: "JSONPaths" }, { type: "JSONPaths" }]);
  expect(manifestConfigs[1]).toMatchObject({
    resourceIdentifier: {
      group: "",
      resource: "configmaps",
      namespace: job.namespace,
      name: named("ConfigMap", "pre-cache-progress").metadata.name,
    },
    updateStrategy: { type: "CreateOnly" },
  });
  expect(deleteOption).toEqual({ propagationPolicy: "Foreground", ttlSecondsAfterFinished: 86_400 });
});

test("When a work is suspended and resumed, only the Job's field should change, and once", () => {
  const suspended = withSuspend(work, true);
  expect([isSuspended(work), suspended && isSuspended(suspended)]).toEqual([false, true]);
  expect(suspended && named("Job", "", suspended).spec).toMatchObject({ suspend: true });
  expect(suspended && withSuspend(suspended, true)).toBeUndefined();
  expect(suspended && withSuspend(suspended, false)).toEqual(work);
});

const withManifests = (manifests: unknown) => ({ ...Object(work.spec), workload: { manifests } });
test.for<readonly [string, unknown]>([
  ["no spec", undefined],
  ["no workload", {}],
  ["manifests of another type", withManifests("Job")],
  ["no Job", withManifests([named("Namespace")])],
  ["a Job without a spec", withManifests([{ ...named("Job"), spec: undefined }])],
])("When a work has %s, there should be nothing to suspend", ([, spec]) => {
  expect(withSuspend({ ...work, spec }, true)).toBeUndefined();
  expect(isSuspended({ ...work, spec })).toBe(false);
});

test("When a Job does not say whether it is suspended, it should not be", () => {
  const { suspend: _, ...spec } = Object(named("Job").spec);
  const other = { ...work, spec: withManifests([{ ...named("Job"), spec }]) };
  expect(isSuspended(other)).toBe(false);
  expect(isSuspended(withSuspend(other, true) ?? other)).toBe(true);
});
