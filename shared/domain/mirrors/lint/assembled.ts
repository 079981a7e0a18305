import type { ImageReference } from "../../images/image-reference.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import type { MergedSources } from "../merge/sources.ts";
import type { ImagePolicy } from "../policies/image-policy.ts";
import type { RegistryEntry } from "../registries-conf/registry-entry.ts";

/** A built configuration and its inputs, to be linted. */
export type Assembled = Readonly<{
  /** The rules that take effect. */
  rules: readonly MirrorRule[];
  merged: MergedSources;
  entries: readonly RegistryEntry[];
  image: KubernetesObject | undefined;
  insecure: readonly ListedScope[];
  /** The scopes that registries.conf blocks. */
  blocked: readonly ListedScope[];
  /** The blocked scopes that policy.json rejects. */
  rejected: readonly ListedScope[];
  /** Unless empty, policy.json rejects all other scopes. */
  allowed: readonly ListedScope[];
  /** The images of the release payload, which are exempt from a block around them. */
  needed: readonly ImageReference[];
  /** Where OpenShift's own releases of the cluster's version are. */
  publishedRepositories: readonly string[];
  /** The host of the cluster's own image registry, if it has one. */
  internalRegistry: string | undefined;
  /** Policies that can be rendered, whether they are or not. */
  policies: readonly ImagePolicy[];
}>;
