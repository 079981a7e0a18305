import type { Issue } from "../../issues/issue.ts";
import type { Assembled } from "./assembled.ts";
import { blockedMirrors } from "./blocked-mirrors.ts";
import { contactedSources } from "./contacted-sources.ts";
import { contradictingOrders } from "./contradicting-orders.ts";
import { defaultIdentities } from "./default-identities.ts";
import { duplicateRules } from "./duplicate-rules.ts";
import { failingMirrors } from "./failing-mirrors.ts";
import { hiddenMirrors } from "./hidden-mirrors.ts";
import { type Reporting, reported } from "./lint-finding.ts";
import { policiesOfMirrors } from "./policies-of-mirrors.ts";
import { redundantScopes } from "./redundant-scopes.ts";
import { rejectedInternalRegistry } from "./rejected-internal-registry.ts";
import { rejectedSources } from "./rejected-sources.ts";
import { rulesWithoutMirrors } from "./rules-without-mirrors.ts";
import { unmatchedNames } from "./unmatched-names.ts";
import { unreachablePulls } from "./unreachable-pulls.ts";

const checks = [
  duplicateRules,
  contradictingOrders,
  rulesWithoutMirrors,
  unmatchedNames,
  failingMirrors,
  blockedMirrors,
  rejectedSources,
  rejectedInternalRegistry,
  hiddenMirrors,
  contactedSources,
  redundantScopes,
  unreachablePulls,
  policiesOfMirrors,
  defaultIdentities,
];

/**
 * Returns warnings about configuration without an effect, or with another one than it seems to have: duplicates,
 * unused rules and mirrors, flags that reach less far than expected. All of them are certain; what may be intended
 * is not reported.
 */
export function lint(assembled: Assembled, reporting?: Reporting): readonly Issue[] {
  return reported(
    checks.flatMap((check) => check(assembled)),
    reporting,
  );
}
