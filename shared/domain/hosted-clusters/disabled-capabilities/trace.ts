import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { isKind, type Kind, type KubernetesObject } from "../../kubernetes/object.ts";
import { expectedObjects, isOn, traceKinds, type Where } from "./expected-objects.ts";
import { settingsConfigMaps } from "./settings.ts";

/** The input of `findTraces`. */
export type RegistryTraces = Readonly<{
  /** True if the control plane omits the registry. */
  isDisabled: boolean;
  platform: string;
  controlPlaneNamespace: string;
  /** The objects of the control plane that `traceLocations` names. */
  controlPlane: readonly KubernetesObject[];
  /** The guest's objects in `traceLocations`, and all its ServiceAccounts; undefined if the guest was not read. */
  guest: readonly KubernetesObject[] | undefined;
}>;

/** An object or setting of the registry that still exists although ImageRegistry is disabled. */
export type Trace = Readonly<{
  kind: "leftover" | "userData";
  /** `Kind/namespace/name`. For a setting, `file: field` follows. */
  what: string;
  message: string;
  remedy: string;
}>;

/** The identity of an object to read, and the API server that has it. */
export type TraceLocation = Readonly<{ where: Where; kind: Kind; namespace?: string; name: string }>;

/** Finds an object by kind and name. The namespace matters only for namespaced kinds. */
export function findObject(
  objects: readonly KubernetesObject[],
  kind: Kind,
  name: string,
  namespace: string | undefined,
): KubernetesObject | undefined {
  return objects.find(
    (object) =>
      isKind(kind, object) &&
      object.metadata.name === name &&
      (!kind.namespaced || object.metadata.namespace === namespace),
  );
}

const codes = {
  leftover: "CapabilityLeftover",
  userData: "CapabilityDataKept",
} as const satisfies Record<Trace["kind"], Issue["code"]>;

/** Returns a warning on the HostedCluster for each trace. */
export function traceIssues(hostedCluster: KubernetesObject, traces: readonly Trace[]): readonly Issue[] {
  return traces.map(({ kind, what, message, remedy }) => {
    const problem = { code: codes[kind], severity: "warning", message, remedy } as const;
    return fieldIssue(hostedCluster, "spec.capabilities", { capability: "ImageRegistry", what }, problem);
  });
}

/** Returns the objects to read before `findTraces`, except the guest's ServiceAccounts. */
export function traceLocations({
  isDisabled,
  platform,
  controlPlaneNamespace,
}: Pick<RegistryTraces, "isDisabled" | "platform" | "controlPlaneNamespace">): readonly TraceLocation[] {
  if (!isDisabled) return [];
  const objects = expectedObjects
    .filter((expected) => isOn(platform, expected))
    .map(({ where, kind, namespace, name }): TraceLocation => {
      const within = where === "controlPlane" ? controlPlaneNamespace : namespace;
      return { where, kind, name, ...(within ? { namespace: within } : {}) };
    });
  const settings = settingsConfigMaps.map(
    (name): TraceLocation => ({
      where: "controlPlane",
      kind: traceKinds.ConfigMap,
      namespace: controlPlaneNamespace,
      name,
    }),
  );
  return [...objects, ...settings];
}
