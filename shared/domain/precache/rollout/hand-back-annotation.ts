import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * When hubrelay sets `enable: true` for TALM's rollout after pre-caching: `"now"` as soon as pre-caching is done; a
 * time (RFC 3339) before which it does not; `"window"`, inside the MaintenanceWindows for its pre-caching; or
 * `"window=NAME"`, inside other ones.
 */
export const enableAnnotation = "hubrelay.dev/enable-after-precaching";

const window = /^window(?:=(.*))?$/;

/** Returns the value of the annotation; undefined without it. */
export function handBackAnnotation({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[enableAnnotation];
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Returns the time of the annotation; undefined without it, and when its value is not a time. */
export function enableTimeOf(cgu: KubernetesObject): Date | undefined {
  const value = handBackAnnotation(cgu) ?? "";
  const at = time.test(value) ? new Date(value) : undefined;
  return at && !Number.isNaN(at.getTime()) ? at : undefined;
}

/** True when MaintenanceWindows decide about it, so that they have to be read. */
export function isHandedBackInWindow(cgu: KubernetesObject): boolean {
  return window.test(handBackAnnotation(cgu) ?? "");
}

/** Returns the names after `window=`; undefined when the windows of pre-caching apply. */
export function rolloutNamesOf(cgu: KubernetesObject): string | undefined {
  return window.exec(handBackAnnotation(cgu) ?? "")?.[1]?.trim() || undefined;
}
