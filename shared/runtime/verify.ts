import { hasErrors, type Issue } from "../domain/issues/issue.ts";
import { isKind, kinds } from "../domain/kubernetes/kinds.ts";
import { displayName, referenceTo } from "../domain/kubernetes/object.ts";
import type { Action, Decision, Plan } from "../domain/plan/plan.ts";
import type { ExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";
import type { Controller } from "./controller.ts";
import { referencesByKey } from "./references.ts";

/** A fleet has thousands of keys, and each look is a dozen requests: enough to be quick, too few to be a burden. */
const atOnce = 8;

/** What the hub holds of one thing, against what it should hold. */
export type Verification = Readonly<{
  function: string;
  key: string;
  decisions: readonly Decision[];
  /** What the function would write. Telling people is no part of it: Kubernetes Events are left out. */
  writes: readonly Readonly<{ verb: Action["verb"]; object: string; reason: string }>[];
  issues: readonly Issue[];
  /** True when the hub does not hold what it should, whoever has to write it. */
  differs: boolean;
}>;

/** A plan as a verification: nothing of it is applied. */
export function verificationOf(
  name: string,
  key: string,
  { decisions, actions, issues }: Plan,
): Verification {
  const writes = actions
    .filter(({ object }) => !isKind(kinds.Event, object))
    .map(({ verb, object, reason }) => ({ verb, object: displayName(referenceTo(object)), reason }));
  const isDifferent = decisions.some(({ differences = [] }) => differences.length > 0);
  return { function: name, key, decisions, writes, issues, differs: isDifferent || writes.length > 0 };
}

/** True when something differs or an object has an error: what a person has to look at. */
export function needsAttention({ differs, issues }: Verification): boolean {
  return differs || hasErrors(issues);
}

/**
 * Looks at everything that these functions keep in order and decides as they would, by the very same code. Writes
 * nothing: a reader of the hub is all that it gets.
 */
export async function verify(
  hub: HubReader,
  controllers: readonly Controller[],
  now: () => Date,
  external?: ExternalPorts,
): Promise<readonly Verification[]> {
  const verifications: Verification[] = [];
  for (const controller of controllers) {
    const keys = [...(await referencesByKey(hub, controller)).keys()];
    const look = async (key: string) =>
      verificationOf(controller.name, key, await controller.plan(hub, key, now(), external));
    for (let start = 0; start < keys.length; start += atOnce)
      verifications.push(...(await Promise.all(keys.slice(start, start + atOnce).map(look))));
  }
  return verifications;
}
