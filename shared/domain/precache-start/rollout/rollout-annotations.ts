import { parseGoTime } from "../../kubernetes/json/go-time.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * Annotation of a ClusterGroupUpgrade or its PreCachingConfig; the former takes precedence. The value is a duration: this
 * long before a window opens, succeeded clusters are checked, and pre-cached again if images are missing. This file
 * does not import the calendar, which functions that only watch the annotation do not need.
 */
export const checkBeforeAnnotation = "hubrelay.dev/check-before";

/**
 * Annotation of a ClusterGroupUpgrade: when hubrelay sets `enable: true` for TALM's rollout. `"now"`: as soon as pre-caching
 * is done; an RFC 3339 time: after pre-caching, not before that time; `"window"`: in the MaintenanceWindows for pre-caching;
 * `"window=NAME"`: in other MaintenanceWindows.
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

/** Reports whether MaintenanceWindows decide when the rollout begins; only then are they read. */
export function isHandedBackInWindow(cgu: KubernetesObject): boolean {
  return window.test(handBackAnnotation(cgu) ?? "");
}

/** Returns the window names after `window=` in a ClusterGroupUpgrade's `enableAnnotation` as one text, if any. */
export function rolloutNamesOf(cgu: KubernetesObject): string | undefined {
  return window.exec(handBackAnnotation(cgu) ?? "")?.[1]?.trim() || undefined;
}
