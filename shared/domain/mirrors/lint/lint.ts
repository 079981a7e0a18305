import type { Issue } from "../../issues/issue.ts";
import type { Assembled } from "./assembled.ts";
import { blockedMirrors } from "./blocked-mirrors.ts";
import { contactedSources } from "./contacted-sources.ts";
import { defaultIdentities } from "./default-identities.ts";
import { duplicateRules } from "./duplicate-rules.ts";
import { failingMirrors } from "./failing-mirrors.ts";
import { hiddenMirrors } from "./hidden-mirrors.ts";
import { limitedMirrors } from "./limited-mirrors.ts";
import { gather } from "./lint-finding.ts";
import { redundantScopes } from "./redundant-scopes.ts";
import { rejectedSources } from "./rejected-sources.ts";
import { rulesWithoutMirrors } from "./rules-without-mirrors.ts";
import { unmatchedNames } from "./unmatched-names.ts";

const checks = [
  duplicateRules,
  rulesWithoutMirrors,
  unmatchedNames,
  failingMirrors,
  blockedMirrors,
  rejectedSources,
  hiddenMirrors,
  contactedSources,
  limitedMirrors,
  redundantScopes,
  defaultIdentities,
];

/**
 * Warnings about what makes no difference, or another one than it seems to: duplicates, rules and mirrors that
 * nothing uses, flags that do not reach as far as one would think. All of them are certain; what may be meant as
 * it is written is passed over in silence.
 */
export function lint(assembled: Assembled): readonly Issue[] {
  return gather(checks.flatMap((check) => check(assembled)));
}
