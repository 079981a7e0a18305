import { displayName, isKind, type KubernetesObject, kinds, namespaceOf } from "../kubernetes/object.ts";

/** The annotation that assigns windows to an object: `NAME` or `NAMESPACE/NAME`, several separated by commas. */
export const windowAnnotation = "hubrelay.dev/maintenance-window";

/** The name of a window; the namespace is empty when an object without a namespace names it. */
export type WindowName = Readonly<{ namespace: string; name: string }>;

/** Returns the display name of a window. Both parts are from outside: each loses its credentials. */
export const nameOf = ({ namespace, name }: WindowName) => displayName({ kind: "", namespace, name });

/** Returns the windows that an object's annotation names, by default in its own namespace. */
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
