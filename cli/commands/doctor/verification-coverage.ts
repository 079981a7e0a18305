import { manifest } from "#functions/mirror-config/manifest.ts";
import {
  type Coverage,
  coverageOf,
  type Enforced,
  inputCoverage,
  type Unread,
} from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { Kind, KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import { type MirrorInput, mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { uncomparedOf } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Verification } from "#shared/runtime/verify.ts";

/** What was given to verify: objects of manifests, or of a hub those that say what is assumed. */
export type VerifiedInput = Pick<MirrorInput, "releaseVersion"> &
  Readonly<{
    objects: readonly KubernetesObject[];
    kinds: readonly Kind[];
    unread: readonly Unread[];
    enforced?: readonly Enforced[];
    issues: readonly Issue[];
    isWhole: boolean;
  }>;

/** Returns what functions could not compare: files of other MachineConfigs, and what does not respond. */
function uncompared({ key, decisions, unread = [] }: Verification): readonly Unread[] {
  return [
    ...unread.map((part) => ({ what: sentence`${part} of ${key}`, why: "unreachable", count: 1 }) as const),
    ...decisions.flatMap(uncomparedOf),
  ];
}

/** Returns the coverage of verifications: each function counts as often as it has something to compare. */
export function verificationCoverage(
  verifications: readonly Verification[],
  { objects, kinds, unread, enforced, issues, isWhole, ...release }: VerifiedInput,
): Coverage {
  const isOfNodes = verifications.some((one) => one.function === manifest.name);
  const assumed = isOfNodes
    ? clusterAssumptions({ ...mirrorInputOf(objects), ...release }, { isWhole, pools: "" })
    : [];
  const input = inputCoverage({ objects, unread, issues, assumed: [] }, kinds);
  return coverageOf({
    ...(enforced ? { enforced } : {}),
    read: verifications.map((one) => ({ what: one.function, count: 1 })),
    unread: [...input.unread, ...verifications.flatMap(uncompared)],
    // Without a pool there is nothing to compare.
    assumed: assumed.filter(({ what }) => what !== "pool"),
  });
}
