import type { ImageReference } from "../../images/image-reference.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import type { MergedSources } from "../merge/sources.ts";
import type { ImagePolicy } from "../policies/image-policy.ts";
import type { RegistryEntry } from "../registries-conf/registry-entry.ts";

/** A configuration that has been put together, with what it was made of: remarks are made about it. */
export type Assembled = Readonly<{
  /** The rules that take effect. */
  rules: readonly MirrorRule[];
  merged: MergedSources;
  entries: readonly RegistryEntry[];
  image: KubernetesObject | undefined;
  insecure: readonly ListedScope[];
  /** What is blocked in registries.conf. */
  blocked: readonly ListedScope[];
  /** What policy.json rejects because it is blocked. */
  rejected: readonly ListedScope[];
  /** When any is given, policy.json rejects everything else. */
  allowed: readonly ListedScope[];
  /** The release payload, which is let through a block around it. */
  payload: ImageReference | undefined;
  /** Policies that can be rendered, whether they are or not. */
  policies: readonly ImagePolicy[];
}>;
