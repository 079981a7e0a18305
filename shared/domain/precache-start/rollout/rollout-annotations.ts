import { parseGoTime } from "../../kubernetes/json/go-time.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * On a ClusterGroupUpgrade or on its PreCachingConfig; the former takes precedence. The time before an opening at which
 * succeeded clusters are checked, and pre-cached again when images are missing. In a separate file, since functions
 * that only watch for it need no calendar.
 */
export const checkBeforeAnnotation = "hubrelay.dev/check-before";

/**
 * When hubrelay sets `enable: true` for TALM's rollout after pre-caching: `"now"`, as soon as pre-caching is done; a
 * time (RFC 3339), not before it; `"window"`, inside the MaintenanceWindows that an annotation names for pre-caching; or
 * `"window=NAME"`, inside other MaintenanceWindows.
 */
export const enableAnnotation = "hubrelay.dev/enable-after-precaching";

const window = /^window(?:=(.*))?$/;

/** Returns the value of the annotation; undefined without it. */
export function handBackAnnotation({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[enableAnnotation];
}

/** Returns the time of the annotation; undefined without it, and when its value is not a time. */
export function enableTimeOf(cgu: KubernetesObject): Date | undefined {
  return parseGoTime(handBackAnnotation(cgu) ?? "");
}

/** Reports whether MaintenanceWindows decide when the rollout begins, so that they have to be read. */
export function isHandedBackInWindow(cgu: KubernetesObject): boolean {
  return window.test(handBackAnnotation(cgu) ?? "");
}

/** Returns the names after `window=`; undefined when the windows of pre-caching apply. */
export function rolloutNamesOf(cgu: KubernetesObject): string | undefined {
  return window.exec(handBackAnnotation(cgu) ?? "")?.[1]?.trim() || undefined;
}
