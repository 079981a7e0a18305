import pMap from "p-map";
import { hasErrors, type Issue } from "../domain/issues/issue.ts";
import { displayName, isKind, kinds, referenceTo } from "../domain/kubernetes/object.ts";
import type { Action, Decision, Plan } from "../domain/plan/plan.ts";
import type { ExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";
import type { Controller } from "./controller.ts";
import { referencesByKey } from "./references.ts";

/** The verification of one key takes a dozen requests to the hub. */
const concurrency = 8;

/** How the actual state of one key differs from its desired state. */
export type Verification = Readonly<{
  function: string;
  key: string;
  decisions: readonly Decision[];
  /** The writes of the plan, except Kubernetes Events. */
  writes: readonly Readonly<{ verb: Action["verb"]; object: string; reason: string }>[];
  issues: readonly Issue[];
  /** The parts of the key that could not be read; absent if all were read. */
  unread?: readonly string[];
  /** True if the actual state is not the desired state, even if another program should correct it. */
  differs: boolean;
}>;

/** Returns the result of verifying a key, derived from the key's plan. The plan is not applied. */
export function verificationOf(
  name: string,
  key: string,
  { decisions, actions, issues, unread = [] }: Plan,
): Verification {
  const writes = actions
    .filter(({ object }) => !isKind(kinds.Event, object))
    .map(({ verb, object, reason }) => ({ verb, object: displayName(referenceTo(object)), reason }));
  const isDifferent = decisions.some(({ differences = [] }) => differences.length > 0);
  const differs = isDifferent || writes.length > 0;
  const parts = unread.map(({ part }) => part);
  return {
    function: name,
    key,
    decisions,
    writes,
    issues,
    differs,
    ...(parts.length > 0 ? { unread: parts } : {}),
  };
}

/** Reports whether a person must act, because the state differs or because an issue is an error. */
export function needsAttention({ differs, issues }: Verification): boolean {
  return differs || hasErrors(issues);
}

/** Called with the name of a function, the number of its verified keys, and the number of all its keys. */
export type OnVerified = (name: string, done: number, total: number) => void;

/** Compares the actual state of every key of these functions with the desired state. Writes nothing. */
export async function verify(
  hub: HubReader,
  controllers: readonly Controller[],
  now: () => Date,
  external: ExternalPorts,
  onVerified: OnVerified = () => {},
): Promise<readonly Verification[]> {
  const verifications: Verification[] = [];
  for (const controller of controllers) {
    const keys = [...(await referencesByKey(hub, controller)).keys()];
    let done = 0;
    const verifyKey = async (key: string) => {
      onVerified(controller.name, done, keys.length);
      const plan = await controller.plan({ hub, key, now: now(), external });
      onVerified(controller.name, ++done, keys.length);
      return verificationOf(controller.name, key, plan);
    };
    verifications.push(...(await pMap(keys, verifyKey, { concurrency })));
  }
  return verifications;
}
