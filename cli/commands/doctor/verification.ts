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
import { mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { uncomparedOf } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { needsAttention, type Verification } from "#shared/runtime/verify.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, tableWithHeadings } from "../../io/table.ts";

/** The input of a verification. For a live hub, `objects` has only the ClusterVersion. */
export type VerifiedInput = Readonly<{
  objects: readonly KubernetesObject[];
  kinds: readonly Kind[];
  unread: readonly Unread[];
  enforced?: readonly Enforced[];
  issues: readonly Issue[];
  isWhole: boolean;
}>;

function uncompared({ key, decisions, unread = [] }: Verification): readonly Unread[] {
  return [
    ...unread.map((part) => ({ what: sentence`${part} of ${key}`, why: "unreachable", count: 1 }) as const),
    ...decisions.flatMap(uncomparedOf),
  ];
}

/** Returns the coverage of all verifications. Its field `read` has the number of verifications for each function. */
export function verificationCoverage(
  verifications: readonly Verification[],
  { objects, kinds, unread, enforced, issues, isWhole }: VerifiedInput,
): Coverage {
  const isOfNodes = verifications.some((one) => one.function === manifest.name);
  const assumed = isOfNodes ? clusterAssumptions(mirrorInputOf(objects), { isWhole, pools: "" }) : [];
  const input = inputCoverage({ objects, unread, issues, assumed: [] }, kinds);
  return coverageOf({
    ...(enforced ? { enforced } : {}),
    read: verifications.map((one) => ({ what: one.function, count: 1 })),
    unread: [...input.unread, ...verifications.flatMap(uncompared)],
    // Without a pool no MachineConfig is compared, so assuming pools has no effect.
    assumed: assumed.filter(({ what }) => what !== "pool"),
  });
}

function summary(verifications: readonly Verification[], isPartial: boolean): SafeText {
  const differing = verifications.filter(({ differs }) => differs);
  if (differing.length === 0) {
    if (verifications.some(needsAttention))
      return safe`Nothing differs, but objects have errors: see standard error.\n`;
    return isPartial ? safe`Nothing differs in what was compared.\n` : safe`The hub is up to date.\n`;
  }
  return safe`Something differs in ${[...new Set(differing.map((one) => one.function))].join(", ")}.\n`;
}

/** Renders subjects with their differences, and the writes that would remove the differences, as tables. */
export function verificationTable(verifications: readonly Verification[], isPartial = false): SafeText {
  const rows = verifications.flatMap((one) =>
    one.decisions.flatMap(
      ({ subject, owner = "hubrelay", verdict: text, reason, differences = [] }): (readonly Cell[])[] => [
        [one.function, subject, owner, painted(differences.length > 0 ? "yellow" : "green", text), reason],
        ...differences.map((difference) => ["", `  ${difference}`]),
      ],
    ),
  );
  const writes = verifications.flatMap((one) =>
    one.writes.map(({ verb, object, reason }) => [one.function, verb, object, reason]),
  );
  const parts = [
    rows.length > 0 ? tableWithHeadings(["FUNCTION", "WHAT", "OWNER", "STATE", "WHY"], rows) : safe``,
    writes.length > 0 ? tableWithHeadings(["FUNCTION", "WOULD", "OBJECT", "WHY"], writes) : safe``,
    summary(verifications, isPartial),
  ];
  return joined(
    parts.filter(({ width }) => width > 0),
    safe`\n`,
  );
}
