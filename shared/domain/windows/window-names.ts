import { isKind, kinds } from "../kubernetes/kinds.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** The annotation by which an object names its windows: `NAME` or `NAMESPACE/NAME`, several with commas. */
export const windowAnnotation = "hubrelay.dev/maintenance-window";

/** Where a window is; the namespace is empty for one that an object without a namespace names. */
export type WindowName = Readonly<{ namespace: string; name: string }>;

export const namespaceOf = ({ metadata }: KubernetesObject): string => metadata.namespace ?? "default";

/** How people name a window. */
export const nameOf = ({ namespace, name }: WindowName) => (namespace ? `${namespace}/${name}` : name);

/** Returns the windows that an object's annotation names, in its own namespace where none is given. */
export function windowNamesOf(windowReferrer: KubernetesObject): readonly WindowName[] {
  const own = isKind(kinds.MachineConfigPool, windowReferrer) ? "" : namespaceOf(windowReferrer);
  const names = (windowReferrer.metadata.annotations?.[windowAnnotation] ?? "")
    .split(",")
    .map((name) => name.trim());
  return names.filter(Boolean).map((text) => {
    const [namespace = "", name] = text.includes("/") ? text.split("/", 2) : [own, text];
    return { namespace, name: name ?? "" };
  });
}
