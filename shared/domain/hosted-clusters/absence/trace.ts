import { isKind, type Kind } from "../../kubernetes/kinds.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Where } from "./expected-objects.ts";

/** What is known of a hosted cluster when its capabilities are looked after. */
export type CapabilityTraces = Readonly<{
  /** `spec.capabilities.disabled`: nothing else decides. */
  disabled: readonly string[];
  /** `spec.platform.type`. */
  platform: string;
  controlPlaneNamespace: string;
  /** Of the control plane's namespace: what `traceLocations` names, as far as it is there. */
  controlPlane: readonly KubernetesObject[];
  /** The same of the guest, with its ServiceAccounts; undefined when it was not read. */
  guest: readonly KubernetesObject[] | undefined;
  /** What could not be read, by permissions for instance: it is not known whether it is there. */
  unread?: readonly Place[];
}>;

/** Something that is there without its capability, or missing with it. */
export type Trace = Readonly<{
  /** `olderWay`: the registry is removed by its own configuration instead of the capability. */
  kind: "leftover" | "missing" | "userData" | "olderWay";
  capability: string;
  /** `Kind/namespace/name`, with `file: field` for a setting. */
  what: string;
  message: string;
  remedy: string;
}>;

/** An object to look for. */
export type Place = Readonly<{ where: Where; kind: Kind; namespace?: string; name: string }>;

/** The one of this kind and name, and of this namespace where the kind has any. */
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
