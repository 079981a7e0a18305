import type { Issue } from "../../issues/issue.ts";
import {
  blockedMirrors,
  contactedSources,
  failingMirrors,
  hiddenMirrors,
  unreachablePulls,
} from "./failing-pulls.ts";
import {
  defaultIdentities,
  policiesOfMirrors,
  rejectedInternalRegistry,
  rejectedSources,
} from "./image-lists.ts";
import { type Assembled, type Reporting, reported } from "./lint-finding.ts";
import {
  contradictingOrders,
  earlierNamespaces,
  rulesWithoutMirrors,
  unmatchedNames,
} from "./rules-without-effect.ts";

const checks = [
  contradictingOrders,
  rulesWithoutMirrors,
  unmatchedNames,
  earlierNamespaces,
  failingMirrors,
  blockedMirrors,
  rejectedSources,
  rejectedInternalRegistry,
  hiddenMirrors,
  contactedSources,
  unreachablePulls,
  policiesOfMirrors,
  defaultIdentities,
];

/**
 * Returns warnings about configuration without an effect, or with a misleading one: unused rules and mirrors, flags that
 * reach less far than expected. All of them are certain; possibly intended configuration is not reported.
 */
export function lint(assembled: Assembled, reporting?: Reporting): readonly Issue[] {
  return reported(
    checks.flatMap((check) => check(assembled)),
    reporting,
  );
}
