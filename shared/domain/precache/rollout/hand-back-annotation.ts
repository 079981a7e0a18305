import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * When the rollout is handed back to TALM after pre-caching, by `enable: true`: `"now"` as soon as pre-caching is
 * done; a time (RFC 3339) before which it is not; `"window"`, inside the MaintenanceWindows that decide about its
 * pre-caching; or `"window=NAME"`, inside other ones.
 */
export const enableAnnotation = "hubrelay.dev/enable-after-precaching";

const window = /^window(?:=(.*))?$/;

/** What the annotation says; undefined without it. */
export function handBackAnnotation({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[enableAnnotation];
}

/** True when MaintenanceWindows decide about it, so that those have to be read. */
export function isHandedBackInWindow(cgu: KubernetesObject): boolean {
  return window.test(handBackAnnotation(cgu) ?? "");
}

/** The names behind `window=`; undefined where the windows of pre-caching count. */
export function rolloutNamesOf(cgu: KubernetesObject): string | undefined {
  return window.exec(handBackAnnotation(cgu) ?? "")?.[1]?.trim() || undefined;
}
