import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { fieldsOf, isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { manifestWork, withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import { contentKeys } from "#shared/domain/precache-start/work/workload-contract.ts";
import type { WorkInput } from "#shared/domain/precache-start/work/workload-objects.ts";
import { packageFile } from "../../cli/program/package-files.ts";
import { writeGuard } from "../../test/support/hub/admission-policy.ts";
import {
  cluster,
  earlierWork,
  hostileUpdates,
  hostileWorks,
  ownCheck,
  ownWork,
} from "../../test/support/precache/hostile-works.ts";
import { aCheckRun, aRun, release } from "../../test/support/precache/precache-objects.ts";

const account = "hubrelay-precache-cluster";
const { responseTo } = await writeGuard();

/** Yields copies of a value that differ in one place: in a leaf, or by one more field or entry. */
function* variants(value: unknown, path = ""): Generator<Readonly<{ path: string; other: unknown }>> {
  if (Array.isArray(value)) {
    yield { path: `${path}[]`, other: [...value, "x"] };
    for (const [index, one] of value.entries())
      for (const { path: at, other } of variants(one, `${path}[${index}]`))
        yield { path: at, other: value.with(index, other) };
  } else if (isRecord(value)) {
    yield { path: `${path}.x`, other: { ...value, x: "x" } };
    for (const [key, one] of Object.entries(value))
      for (const { path: at, other } of variants(one, `${path}.${key}`))
        yield { path: at, other: { ...value, [key]: other } };
  } else if (typeof value === "boolean") yield { path, other: !value };
  else yield { path, other: typeof value === "number" ? value + 1 : `${String(value)}x` };
}

describe("the policy for ManifestWorks of pre-caching", () => {
  test.for(hostileWorks)("$name", ({ given, says }) => {
    expect(responseTo({ account, after: given })).toContain(says);
  });

  test.for(hostileUpdates)("$name", ({ given, says }) => {
    expect(responseTo({ account, before: ownWork, after: given })).toContain(says);
  });

  const input = { run: aRun, image: "quay.io/hubrelay/precache:v1", timeoutMinutes: 240 };
  test.for<Readonly<{ what: string; more: Partial<WorkInput> }>>([
    { what: "a release", more: { content: { platformImage: release } } },
    {
      what: "operators",
      more: { content: { operatorsIndexes: ["quay.io/a/index:v4"], operatorsPackagesAndChannels: ["a:b"] } },
    },
    { what: "nothing", more: {} },
    { what: "a known bandwidth", more: { bandwidthMbits: 0.5 } },
    { what: "a wide link", more: { bandwidthMbits: 100_000 } },
    { what: "one pull at a time", more: { parallelPulls: 1 } },
    { what: "99 pulls at a time", more: { parallelPulls: 99 } },
    { what: "a suspended Job", more: { suspend: true } },
    { what: "a retry", more: { run: { ...aRun, attempt: 12 } } },
    { what: "a check", more: { run: aCheckRun, timeoutMinutes: 15 } },
    { what: "an image by digest", more: { image: `quay.io/hubrelay/precache@sha256:${"a".repeat(64)}` } },
    {
      what: "a CGU with a long name",
      more: { run: { ...aRun, cgu: { namespace: "edge", name: "u".repeat(253) } } },
    },
  ])("When hubrelay writes a work with $what, it should be admitted until its end", ({ more }) => {
    const created = manifestWork(cluster, { ...input, content: {}, ...more });
    expect(responseTo({ account, after: created })).toBe("admitted");
    const held = { ...created, metadata: { ...created.metadata, finalizers: ["work/cleanup"] } };
    const suspended = withSuspend(held, more.suspend !== true) ?? held;
    expect(suspended).not.toBe(held);
    expect(responseTo({ account, before: held, after: suspended })).toBe("admitted");
    expect(responseTo({ account, before: suspended, after: held })).toBe("admitted");
    for (const one of [account, "hubrelay-precache-status"])
      expect(responseTo({ account: one, before: suspended })).toBe("admitted");
  });

  test.for([
    { what: "a run", own: ownWork },
    { what: "a check", own: ownCheck },
  ])(
    "When a manifest of $what differs anywhere from what hubrelay writes, it should be refused, but for its input",
    ({ own }) => {
      const { manifests } = Object(own.spec).workload;
      const admitted = manifests.flatMap((manifest: KubernetesObject, index: number) =>
        [...variants(manifest, manifest.kind)]
          .filter(({ other }) => {
            const spec = { ...Object(own.spec), workload: { manifests: manifests.with(index, other) } };
            const after = { ...own, spec };
            return responseTo({ account, after }) === "admitted";
          })
          .map(({ path }) => path),
      );
      const free = [
        ...contentKeys.map((key) => `ConfigMap.data.${key}`),
        "Job.spec.activeDeadlineSeconds",
        "Job.spec.suspend",
        "Job.spec.template.spec.containers[0].image",
      ];
      expect(admitted).toEqual(free);
    },
  );

  test("When the spec of a work differs anywhere from what hubrelay writes, it should be refused", () => {
    const { workload, ...others } = Object(ownWork.spec);
    const admitted = [...variants(others, "spec")]
      .filter(({ other }) => {
        const after = { ...ownWork, spec: { ...Object(other), workload } };
        return responseTo({ account, after }) === "admitted";
      })
      .map(({ path }) => path);
    expect(admitted).toEqual([]);
  });

  test("When a hub's ManifestWork is older, a work with fewer fields should be admitted", () => {
    const { workload, manifestConfigs } = Object(ownWork.spec);
    const [{ conditionRules: _newer, ...job }, progress] = manifestConfigs;
    const spec = {
      workload,
      manifestConfigs: [job, progress],
      deleteOption: { propagationPolicy: "Foreground" },
    };
    expect(responseTo({ account, after: { ...ownWork, spec } })).toBe("admitted");
  });

  test("When a work of an earlier version runs, it should be suspended and resumed, but not created", () => {
    const earlier = earlierWork();
    const suspended = withSuspend(earlier, true) ?? earlier;
    expect(responseTo({ account, before: earlier, after: suspended })).toBe("admitted");
    expect(responseTo({ account, before: suspended, after: earlier })).toBe("admitted");
    expect(responseTo({ account, after: earlier })).not.toBe("admitted");
  });
});

describe("the policy for the image of the workload", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const pinned = `registry.lab:8443/hubrelay/workload@${digest}`;
  const workWith = (image: string) =>
    manifestWork(cluster, { run: aRun, content: {}, image, timeoutMinutes: 240 });
  const settings = (profile: string, image: string) => ({
    data: { HUBRELAY_PRECACHE_PROFILE: profile, HUBRELAY_WORKLOAD_IMAGE: image },
  });
  const refusal = "In the profile hardened the Job runs the image of HUBRELAY_WORKLOAD_IMAGE, by digest.";

  test.for([
    { image: pinned, ofDeployment: pinned, says: "admitted" },
    { image: `quay.io/evil/rootkit@${digest}`, ofDeployment: pinned, says: refusal },
    { image: "registry.lab:8443/hubrelay/workload:1", ofDeployment: pinned, says: refusal },
    { image: "quay.io/acme/workload:1", ofDeployment: "quay.io/acme/workload:1", says: refusal },
    { image: "", ofDeployment: "", says: refusal },
  ])(
    "When the deployment's image is $ofDeployment and a work has $image, it should say $says",
    ({ image, ofDeployment, says }) => {
      const request = { account, after: workWith(image) };
      expect(responseTo({ ...request, params: settings("hardened", ofDeployment) })).toBe(says);
      expect(responseTo({ ...request, params: settings("standard", ofDeployment) })).toBe("admitted");
      expect(responseTo({ ...request, params: {} })).toBe("admitted");
    },
  );

  test.for([
    { index: "registry.lab:8443/olm/index:v4.20", is: "admitted" },
    { index: `registry.lab:8443/olm/index@${digest}`, is: "admitted" },
    { index: `quay.io/team/catalog:v1@${digest}`, is: "admitted" },
    { index: "registry.lab:8443/olm/index", is: "admitted" },
    { index: "registry.lab:8443/olm/index-evil:v1", is: "refused" },
    { index: "registry.lab:8443/olm/index/evil:v1", is: "refused" },
    { index: "registry.lab:8443/olm:v1", is: "refused" },
    { index: "evil.example/index:latest", is: "refused" },
    { index: "registry.lab:8443/olm/index:v1\nevil.example/index:latest", is: "refused" },
    { index: " evil.example/index:latest", is: "refused" },
  ])("When a work of the profile hardened has the index $index, it should be $is", ({ index, is }) => {
    const content = { operatorsIndexes: [index], operatorsPackagesAndChannels: ["p:c"] };
    const after = manifestWork(cluster, { run: aRun, content, image: pinned, timeoutMinutes: 240 });
    const { data } = settings("hardened", pinned);
    const responseWith = (repositories: string, profile = "hardened") =>
      responseTo({
        account,
        after,
        params: {
          data: { ...data, HUBRELAY_PRECACHE_PROFILE: profile, HUBRELAY_INDEX_REPOSITORIES: repositories },
        },
      });
    const says = "In the profile hardened index images are from HUBRELAY_INDEX_REPOSITORIES.";
    expect(responseWith("registry.lab:8443/olm/index, quay.io/team/catalog")).toBe(
      is === "admitted" ? is : says,
    );
    expect(responseWith("")).toBe(says);
    expect(responseTo({ account, after, params: { data } })).toBe(says);
    expect(responseWith("", "standard")).toBe("admitted");
  });
});

test("When a work belongs to another program, pre-caching should neither change nor remove it", () => {
  const theirs = {
    ...ownWork,
    metadata: { namespace: ownWork.metadata.namespace ?? "", name: "precache-like" },
  };
  const refusal = "its own ManifestWorks only";
  expect(responseTo({ account: "hubrelay-precache-status", before: theirs })).toContain(refusal);
  const relabelled = { ...theirs, metadata: { ...theirs.metadata, labels: ownWork.metadata.labels ?? {} } };
  const suspended = withSuspend(relabelled, true);
  if (suspended)
    expect(responseTo({ account: "hubrelay-precache-cluster", before: theirs, after: suspended })).toContain(
      "may not write such a field",
    );
});

test("When the settings are missing, no work of hubrelay should be admitted", async () => {
  const text = await readFile(packageFile("infra/hub-rbac/write-guard-manifest-works.yaml"), "utf8");
  const bindings = parseAllDocuments(text)
    .map((document) => fieldsOf(document.toJS()))
    .filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding")
    .flatMap(({ spec }) => fieldsOf(spec).paramRef ?? []);
  expect(bindings).toEqual([expect.objectContaining({ parameterNotFoundAction: "Deny" })]);
});
