import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ImageReference } from "../image-reference.ts";
import type { ImagePolicy } from "../policies/image-policy.ts";
import type { ListedScope } from "../read-image.ts";
import type { RegistryEntry } from "../registry-entry.ts";
import type { MirrorRule } from "../rules.ts";
import type { MergedSources } from "../sources.ts";

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
