import { type ExpectedObject, expectedObjects, isOn, lookedAt } from "./expected-objects.ts";
import { settingsConfigMaps } from "./expected-settings.ts";
import { guardedConfigPolicy } from "./ingress-rule.ts";
import { rootBundle, routerAuthority } from "./root-bundle.ts";
import type { CapabilityTraces, Place } from "./trace.ts";

/** Which of the places are asked for. */
export type TraceLocationsChoice = Readonly<{
  /** The capabilities; every one else. */
  isAskedFor?: (capability: string) => boolean;
  /** Those alone that tell what is missing: enough where nothing is disabled. */
  isAboutMissing?: boolean;
}>;

/** Not required by itself; the bundle of authorities is judged by it. */
const isRouterAuthority = ({ where, name }: ExpectedObject) =>
  where === "controlPlane" && name === routerAuthority;

/**
 * What has to be read to tell the traces of a cluster on this platform. The guest's ServiceAccounts tell more, and are
 * not among them.
 */
export function traceLocations(
  { platform, controlPlaneNamespace }: Pick<CapabilityTraces, "platform" | "controlPlaneNamespace">,
  { isAskedFor = () => true, isAboutMissing = false }: TraceLocationsChoice = {},
): readonly Place[] {
  const objects = expectedObjects
    .filter((expected) => isAskedFor(expected.capability) && isOn(platform, expected))
    .filter((expected) => !isAboutMissing || expected.isRequired || isRouterAuthority(expected))
    .map(({ where, kind, namespace, name }): Place => {
      const within = where === "controlPlane" ? controlPlaneNamespace : namespace;
      return { where, kind, name, ...(within ? { namespace: within } : {}) };
    });
  const configs = [...settingsConfigMaps(isAskedFor), ...(isAskedFor("Ingress") ? [rootBundle] : [])];
  return [
    ...objects,
    ...configs.map(
      (name): Place => ({
        where: "controlPlane",
        kind: lookedAt.ConfigMap,
        namespace: controlPlaneNamespace,
        name,
      }),
    ),
    ...(isAskedFor("Ingress")
      ? [{ where: "guest", kind: lookedAt.ValidatingAdmissionPolicy, name: guardedConfigPolicy } as const]
      : []),
  ];
}
