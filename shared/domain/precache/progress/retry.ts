import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isFinalState } from "../model/cluster-state.ts";

/**
 * On a ClusterGroupUpgrade: which clusters to try again, `failed` or their names separated by commas. It is taken
 * away when they are on their way.
 */
export const retryAnnotation = "hubrelay.dev/retry";

/** What the annotation asks for; undefined without one. */
export function retryWish({ metadata }: KubernetesObject): ReadonlySet<string> | undefined {
  const text = metadata.annotations?.[retryAnnotation];
  return text === undefined
    ? undefined
    : new Set(text.split(",").flatMap((name) => (name.trim() ? [name.trim()] : [])));
}

/**
 * True when the cluster is to be tried again: it has ended, and it is named or has failed. One that is on its way
 * is left there, so asking twice tries once.
 */
export function isRetried(cluster: string, state: string | undefined, wish: ReadonlySet<string>): boolean {
  if (!isFinalState(state)) return false;
  return wish.has(cluster) || (wish.has("failed") && state !== "Succeeded");
}

/** The CGU without the annotation. */
export function withoutRetry(cgu: KubernetesObject): KubernetesObject {
  const { [retryAnnotation]: _asked, ...annotations } = cgu.metadata.annotations ?? {};
  return { ...cgu, metadata: { ...cgu.metadata, annotations } };
}
