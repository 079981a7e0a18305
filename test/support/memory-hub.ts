import { type Kind, kindOf } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { byCodeUnit } from "#shared/domain/order.ts";
import { isSameJson } from "#shared/domain/same-json.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";

export type MemoryChange = Readonly<{ verb: "add" | "update" | "delete"; object: KubernetesObject }>;

export type MemoryHub = Hub &
  Readonly<{
    /** Requests so far, by verb and kind: `create ManifestWork`. */
    requests: ReadonlyMap<string, number>;
    /** A person's or an agent's doing: no request is counted, and no version asked for. */
    put(object: KubernetesObject): KubernetesObject;
    remove(kind: Kind, name: string, namespace?: string): void;
    find(kind: Kind, name: string, namespace?: string): KubernetesObject | undefined;
    all(kind: Kind): readonly KubernetesObject[];
  }>;

const plurals = ({ apiVersion, kind }: Readonly<{ apiVersion: string; kind: string }>) =>
  `${apiVersion} ${kind}`;

/**
 * A hub in memory for tests that make thousands of runs: versions, generations and conflicts as an API server has
 * them. `fault` may answer the error that a request ends with, and `told` hears of every change.
 */
export function memoryHub({
  now,
  fault = () => undefined,
  told = () => undefined,
}: Readonly<{
  now: () => Date;
  fault?: (request: string, reference: ObjectReference) => HubError | undefined;
  told?: (change: MemoryChange) => void;
}>): MemoryHub {
  const stored = new Map<string, KubernetesObject>();
  const requests = new Map<string, number>();
  let version = 100;

  const keyFor = (kind: Readonly<{ apiVersion: string; kind: string }>, name: string, namespace = "") =>
    `${plurals(kind)}\n${namespace}\n${name}`;
  const keyOf = (object: KubernetesObject) => keyFor(object, object.metadata.name, object.metadata.namespace);

  function ask(
    verb: string,
    kind: Readonly<{ apiVersion: string; kind: string }>,
    name = "",
    namespace = "",
  ): void {
    const request = `${verb} ${kind.kind}`;
    requests.set(request, (requests.get(request) ?? 0) + 1);
    const error = fault(request, { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace });
    if (error) throw error;
  }

  function save(object: KubernetesObject, verb: "add" | "update"): KubernetesObject {
    const saved = structuredClone({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(++version) },
    });
    stored.set(keyOf(saved), saved);
    told({ verb, object: saved });
    return saved;
  }

  function born(object: KubernetesObject): KubernetesObject {
    const creationTimestamp = now()
      .toISOString()
      .replace(/\.\d+Z$/, "Z");
    return {
      ...object,
      metadata: { creationTimestamp, ...object.metadata, uid: `uid-${version}`, generation: 1 },
    };
  }

  function present(object: KubernetesObject): KubernetesObject {
    const found = stored.get(keyOf(object));
    if (!found) throw new HubError("NotFound", `${object.kind} ${object.metadata.name} is gone`);
    if (found.metadata.resourceVersion !== object.metadata.resourceVersion)
      throw new HubError("Conflict", `${object.kind} ${object.metadata.name} has changed`);
    return found;
  }

  function erase(key: string): void {
    const found = stored.get(key);
    if (!found) return;
    stored.delete(key);
    const resourceVersion = String(++version);
    told({ verb: "delete", object: { ...found, metadata: { ...found.metadata, resourceVersion } } });
  }

  const matching = (kind: Kind, namespace: string | undefined) =>
    [...stored.values()]
      .filter((object) => plurals(object) === plurals(kind))
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
      .sort((a, b) => byCodeUnit(keyOf(a), keyOf(b)));

  return {
    id: "urn:test:hub",
    requests,
    async get(kind, name, namespace) {
      ask("get", kind, name, namespace);
      return stored.get(keyFor(kind, name, namespace));
    },
    async list(kind, { namespace, labels = {}, withLabel } = {}) {
      ask("list", kind);
      return matching(kind, namespace).filter(
        ({ metadata }) =>
          Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value) &&
          (withLabel === undefined || metadata.labels?.[withLabel] !== undefined),
      );
    },
    async create(object) {
      ask("create", object, object.metadata.name, object.metadata.namespace);
      if (object.metadata.resourceVersion) throw new HubError("Invalid", "a new object has no version");
      if (stored.has(keyOf(object)))
        throw new HubError("AlreadyExists", `${object.kind} ${object.metadata.name} is there`);
      const { status: _ignored, ...rest } = object;
      return save(born(rest), "add");
    },
    async update(object) {
      ask("update", object, object.metadata.name, object.metadata.namespace);
      const found = present(object);
      const { status: _old, metadata: _before, ...content } = found;
      const { status: _given, metadata: _after, ...wanted } = object;
      const generation = (found.metadata.generation ?? 1) + (isSameJson(content, wanted) ? 0 : 1);
      const status = found.status === undefined ? {} : { status: found.status };
      return save({ ...wanted, metadata: { ...object.metadata, generation }, ...status }, "update");
    },
    async updateStatus(object) {
      ask("update-status", object, object.metadata.name, object.metadata.namespace);
      return save({ ...present(object), status: object.status }, "update");
    },
    async delete(reference) {
      const { name, namespace, uid, resourceVersion } = reference;
      ask("delete", reference, name, namespace);
      const key = keyFor(reference, name, namespace);
      const found = stored.get(key);
      if (!found) throw new HubError("NotFound", `${reference.kind} ${name} is gone`);
      if (
        (uid && uid !== found.metadata.uid) ||
        (resourceVersion && resourceVersion !== found.metadata.resourceVersion)
      )
        throw new HubError("Conflict", `${reference.kind} ${name} has changed`);
      erase(key);
    },
    watch() {
      throw new Error("a memory hub tells its changes by itself");
    },
    put(object) {
      const found = stored.get(keyOf(object));
      if (!kindOf(object)) throw new Error(`${object.kind} is not in the table of kinds`);
      return found
        ? save({ ...object, metadata: { ...found.metadata, ...object.metadata } }, "update")
        : save(born(object), "add");
    },
    remove(kind, name, namespace) {
      erase(keyFor(kind, name, namespace));
    },
    find: (kind, name, namespace) => stored.get(keyFor(kind, name, namespace)),
    all: (kind) => matching(kind, undefined),
  };
}
