import { parseGoTime } from "../../kubernetes/json/go-time.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * Annotation of a ClusterGroupUpgrade or PreCachingConfig: how long before an opening images are checked. This file
 * must not import the calendar, which functions that only watch the annotation do not need.
 */
export const checkBeforeAnnotation = "hubrelay.dev/check-before";

/**
 * Annotation of a ClusterGroupUpgrade: when hubrelay sets `enable: true` for TALM's rollout. The value is `"now"`, a
 * time in RFC 3339, `"window"` for the MaintenanceWindows of pre-caching, or `"window=NAME"` for other windows.
 */
export const enableAnnotation = "hubrelay.dev/enable-after-precaching";

const window = /^window(?:=(.*))?$/;

/** Returns the value of a ClusterGroupUpgrade's `enableAnnotation`; undefined without it. */
export function handBackAnnotation({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[enableAnnotation];
}

/** Returns the time in a ClusterGroupUpgrade's `enableAnnotation`; undefined if the value is not a time. */
export function enableTimeOf(cgu: KubernetesObject): Date | undefined {
  return parseGoTime(handBackAnnotation(cgu) ?? "");
}

/** Reports whether MaintenanceWindows decide when the rollout begins. */
export function isHandedBackInWindow(cgu: KubernetesObject): boolean {
  return window.test(handBackAnnotation(cgu) ?? "");
}

/** Returns the names after `window=` in `enableAnnotation` as one text; undefined without names. */
export function rolloutNamesOf(cgu: KubernetesObject): string | undefined {
  return window.exec(handBackAnnotation(cgu) ?? "")?.[1]?.trim() || undefined;
}
