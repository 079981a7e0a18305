import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { collectionPath, objectPath } from "#shared/adapters/hub/kubernetes/paths.ts";
import { fieldsOf, isSameJson, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { grantsOf, parseRbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { hubRbacManifests } from "../../cli/commands/doctor/checks/access-rows.ts";
import { paths } from "../../infra/paths.ts";
import { createObject } from "../support/hub/create-object.ts";
import { failedRequest } from "../support/hub/failed-request.ts";
import { anOwner } from "../support/hub/objects.ts";
import { startCluster, type TestCluster } from "./support/clusters/cluster.ts";
import { hubAccounts } from "./support/clusters/service-account.ts";
import { createManifest, createNamespace } from "./support/manifests/apply-manifests.ts";
import { crdsOf, hubCrds, looseCrd } from "./support/manifests/crds.ts";
import { precachingSettings } from "./support/manifests/kustomize.ts";
import { connectionOf } from "./support/observe/until.ts";
import { accountWrites } from "./support/writes/account-writes.ts";
import { mutations, schemasOf, withoutRules } from "./support/writes/schema-mutations.ts";
import type { Write } from "./support/writes/write.ts";

/* The schemas of the kinds, without their rules about values: only the guard refuses a change. */

/** With the permissions of own mode, which not every hub grants. */
const ownMode = ["role.yaml", "guard.yaml"].map((file) =>
  join(paths.root, "infra/kubernetes/components/own-hosted-clusters", file),
);
const manifestsIn = async (file: string): Promise<readonly KubernetesObject[]> =>
  parseAllDocuments(await readFile(file, "utf8")).flatMap(
    (document) => tryParseManifestObject(document.toJS()) ?? [],
  );

let server: TestCluster;
let person: KubernetesHub;
let userAccessOf: Awaited<ReturnType<typeof hubAccounts>>;
let schemaOf: Awaited<ReturnType<typeof schemasOf>>;

beforeAll(async () => {
  const sourcePolicies = ["imagesourcedigestpolicies", "imagesourcetagpolicies"].map((name) =>
    crdsOf(join(paths.root, `infra/crds/source-policies/${name}.yaml`)),
  );
  const published = [...(await hubCrds()), ...(await Promise.all(sourcePolicies)).flat()];
  const unpublished = [
    kinds.ImageStream,
    kinds.OperatorImageSourceDigestPolicy,
    kinds.OperatorImageSourceTagPolicy,
  ];
  const crds = [...published.map(withoutRules), ...unpublished.map((kind) => looseCrd(kind))];
  server = await startCluster({ crds, checksOwners: false });
  person = kubernetesHub(server.admin.kubeConfig);
  for (const file of ownMode)
    for (const manifest of await manifestsIn(file)) await createManifest(server.api, manifest);
  userAccessOf = await hubAccounts(server, precachingSettings());
  await createNamespace(server.api, "team-a");
  const written = Object.values(accountWrites)
    .flat()
    .map(({ object }) => object.apiVersion);
  const inWorks = ["v1", "batch/v1", "rbac.authorization.k8s.io/v1"];
  schemaOf = await schemasOf(server.api, [...new Set([...written, ...inWorks])]);
  // The API server applies policies shortly after they are stored, each at its own time.
  const lease = accountWrites.forwarder?.[0]?.object;
  using api = await connectionAs("forwarder");
  for (const [name, labels, says] of [
    ["hubrelay-forwarder", { team: "a" }, "hubrelay-writes"],
    ["other", {}, "hubrelay-forwarder-lease"],
  ] as const)
    for (let patience = 100; lease; patience--) {
      const probe = { ...lease, metadata: { ...lease.metadata, name, labels } };
      const { refusal } = await tried(api, "create", probe, lease);
      if (refusal?.includes(says)) break;
      if (patience === 0) throw new Error(`the policy ${says} is not applied: ${refusal}`);
      await sleep(100);
    }
});
afterAll(async () => {
  person?.close();
  await server?.stop();
});

/** A connection as the account of a function or process. */
async function connectionAs(account: string): Promise<Connection & Disposable> {
  const api = connectionOf(await userAccessOf(`hubrelay-${account}`));
  return { ...api, [Symbol.dispose]: () => api.close() };
}

const kindOf = (object: KubernetesObject) => {
  const kind = Object.values(kinds).find((one) => isKind(one, object));
  if (!kind) throw new Error(`no such kind: ${object.kind}`);
  return kind;
};

/** An object without what the API server writes. */
function content(object: unknown): unknown {
  const { metadata, ...others } = fieldsOf(object);
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    uid: _uid,
    ...own
  } = fieldsOf(metadata);
  const { creationTimestamp: _time, ...rest } = own;
  return { ...others, metadata: rest };
}

/** Asks the API server to check a write as this account, without storing anything; returns what it would store. */
async function tried(api: Connection, verb: Verb, body: unknown, identity: KubernetesObject) {
  const kind = kindOf(identity);
  const { namespace } = identity.metadata;
  const own = `${objectPath(kind, identity.metadata)}${verb === "status" ? "/status" : ""}`;
  try {
    const response = await api.send({
      what: `${verb} ${identity.kind}`,
      method: verb === "create" ? "POST" : "PUT",
      path: verb === "create" ? collectionPath(kind, namespace) : own,
      query: { dryRun: "All" },
      body,
    });
    return { stored: response };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    if (!["Invalid", "Forbidden", "BadRequest", "Conflict"].includes(error.code)) throw error;
    return { refusal: error.message };
  }
}

const isBelow = (allowed: string, path: string) => {
  const prefix = allowed.slice(0, -".**".length);
  return allowed.endsWith(".**")
    ? path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`)
    : path === allowed;
};

/** Returns the paths in which this account can change an object, or create it with another value. */
async function takenPaths(api: Connection, verb: Verb, object: KubernetesObject): Promise<readonly string[]> {
  const baseline = await tried(api, verb, object, object);
  expect(baseline.refusal, `${verb} without a change`).toBeUndefined();
  const before = content(baseline.stored);
  const taken: string[] = [];
  // An existing work's manifests are compared as a whole: only a new one has every path of their kinds' schemas.
  const ofPart = (value: UnknownRecord) =>
    verb === "create" || value.metadata === object.metadata || value.ignition ? schemaOf(value) : undefined;
  const queue = mutations(undefined, object, ofPart);
  async function tryNext() {
    for (const { path, value } of queue) {
      // The API server writes these, with each write.
      if (/^metadata[.](managedFields|resourceVersion)/.test(path)) continue;
      const { stored, refusal } = await tried(api, verb, value, object);
      if (refusal === undefined && !isSameJson(content(stored), before)) taken.push(path);
    }
  }
  await Promise.all([tryNext(), tryNext(), tryNext(), tryNext()]);
  return taken;
}

/** The same object with what other programs and people write on it. */
function withOthers({ metadata, ...object }: KubernetesObject): KubernetesObject {
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, team: "a" },
      annotations: { ...metadata.annotations, owner: "team-a" },
      finalizers: ["example.com/held"],
      ownerReferences: [...(metadata.ownerReferences ?? []), anOwner],
    },
  };
}

async function remove(object: KubernetesObject): Promise<void> {
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  await person.delete(referenceTo(await person.update({ ...object, metadata })));
}

const verbs = ["create", "update", "status"] as const;
type Verb = (typeof verbs)[number];

/** The permissions that writes need, such as `update leases.coordination.k8s.io`. */
const permissionsOf = ({ object, ...allowed }: Write) =>
  verbs
    .filter((verb) => allowed[verb])
    .map((verb) => {
      const { plural, apiVersion } = kindOf(object);
      const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
      return verb === "status" ? `update ${plural}/status.${group}` : `${verb} ${plural}.${group}`;
    });

test.for(Object.entries(accountWrites))(
  "When the account of %s changes any path of what its role lets it write, only its own should be taken",
  { timeout: 900_000 },
  async ([account, writes]) => {
    const roles = (await Promise.all(ownMode.map(manifestsIn))).flat().map(parseRbacManifest);
    const granted = grantsOf(`hubrelay-${account}`, [...(await hubRbacManifests()), ...roles])
      .filter(({ verb }) => ["create", "update", "patch"].includes(verb))
      .map(({ verb, group, resource }) => `${verb} ${resource}.${group}`);
    expect(new Set(writes.flatMap(permissionsOf))).toEqual(new Set(granted));

    using api = await connectionAs(account);
    for (const { object, ...allowed } of writes) {
      let stored = object;
      for (const verb of verbs) {
        if (verb === "update") stored = await createObject(person, withOthers(object));
        if (!allowed[verb]) continue;
        const taken = await takenPaths(api, verb, stored);
        const what = `${verb} ${object.kind}`;
        const { own = [], foreign = [] } = Object.groupBy(taken, (path) =>
          allowed[verb]?.some((one) => isBelow(one, path)) ? "own" : "foreign",
        );
        expect(foreign, what).toEqual([]);
        const unused = allowed[verb].filter((one) => !own.some((path) => isBelow(one, path)));
        expect(unused, what).toEqual([]);
      }
      await remove(stored);
    }
  },
);

test("When an Event belongs to another program or function, it should not be removed", async () => {
  const own = accountWrites["precache-ready"]?.find(({ object }) => object.kind === "Event")?.object;
  using api = await connectionAs("mirror-config");
  for (const labels of [{ app: "other" }, own?.metadata.labels ?? {}]) {
    const theirs = own && (await person.create({ ...own, metadata: { ...own.metadata, labels } }));
    if (!theirs) throw new Error("precache-ready writes no Event");
    const path = objectPath(kinds.Event, theirs.metadata) ?? "";
    const error = await failedRequest(api.send({ what: "delete an Event", method: "DELETE", path }));
    expect(error.message).toContain("its own Events only");
    await person.delete(referenceTo(theirs));
  }
});
