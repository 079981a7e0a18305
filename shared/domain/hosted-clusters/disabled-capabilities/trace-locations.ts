import { type ExpectedObject, expectedObjects, isOn, traceKinds } from "./expected-objects.ts";
import { settingsConfigMaps } from "./expected-settings.ts";
import { guardedConfigPolicy, rootBundle, routerAuthority } from "./ingress-rule.ts";
import type { CapabilityTraces, TraceLocation } from "./trace.ts";

/** Selects the locations. */
export type TraceLocationsChoice = Readonly<{
  /** The capabilities; all by default. */
  isSelected?: (capability: string) => boolean;
  /** The capabilities whose optional objects are included, which only show leftovers; all by default. */
  hasLeftovers?: (capability: string) => boolean;
}>;

/** Not required, but the check of the authority bundle needs it. */
const isRouterAuthority = ({ where, name }: ExpectedObject) =>
  where === "controlPlane" && name === routerAuthority;

/** Returns the locations of the traces of a cluster on this platform, without the guest's ServiceAccounts. */
export function traceLocations(
  { platform, controlPlaneNamespace }: Pick<CapabilityTraces, "platform" | "controlPlaneNamespace">,
  { isSelected = () => true, hasLeftovers = () => true }: TraceLocationsChoice = {},
): readonly TraceLocation[] {
  const objects = expectedObjects
    .filter((expected) => isSelected(expected.capability) && isOn(platform, expected))
    .filter(
      (expected) => expected.isRequired || isRouterAuthority(expected) || hasLeftovers(expected.capability),
    )
    .map(({ where, kind, namespace, name }): TraceLocation => {
      const within = where === "controlPlane" ? controlPlaneNamespace : namespace;
      return { where, kind, name, ...(within ? { namespace: within } : {}) };
    });
  const configs = [...settingsConfigMaps(isSelected), ...(isSelected("Ingress") ? [rootBundle] : [])];
  return [
    ...objects,
    ...configs.map(
      (name): TraceLocation => ({
        where: "controlPlane",
        kind: traceKinds.ConfigMap,
        namespace: controlPlaneNamespace,
        name,
      }),
    ),
    ...(isSelected("Ingress")
      ? [{ where: "guest", kind: traceKinds.ValidatingAdmissionPolicy, name: guardedConfigPolicy } as const]
      : []),
  ];
}
