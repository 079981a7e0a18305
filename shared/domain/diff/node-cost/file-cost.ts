import { defaultTemplate, tryParseRegistriesConf } from "../../mirrors/registries-conf/base-file.ts";
import { isDropIn, nodePaths } from "../../openshift/machine-config/node-file.ts";
import type { CostRule } from "../../plan/cost.ts";
import { sentence } from "../../text/redact.ts";
import {
  costOfActions,
  type FilePolicy,
  findFilePolicy,
  type PolicyAction,
  policySentence,
} from "./disruption-policy.ts";
import {
  type Change,
  type ChangedFile,
  compareRegistries,
  type FileChange,
  fileState,
  isSafeChange,
  type RegistriesChange,
  registriesParts,
  registriesRule,
  type Verdict,
} from "./registries-change.ts";

/** What decides the cost of a change, apart from the change itself. */
export type Circumstances = Readonly<{
  policies: readonly FilePolicy[];
  isSingleNode: boolean;
  /** Why unsafe changes of registries.conf drain no nodes in this cluster; undefined if such changes drain nodes. */
  undrained: CostRule | undefined;
  rebootsAlways: boolean;
}>;

type CostOfFile = Readonly<{ changes: readonly Change[]; actions: readonly PolicyAction[] }>;

const reboot: readonly PolicyAction[] = [{ type: "Reboot" }];

function changedFile({ path, kind, before, after }: FileChange, verdict: Verdict): ChangedFile {
  return { path, kind, before: fileState(before), after: fileState(after), ...verdict };
}

function firstLine(problem: string): string {
  return problem.replace(/:?\n[\s\S]*/, "");
}

function readChange(
  before: string,
  after: string,
): Readonly<{ change: RegistriesChange } | { problem: string }> {
  const old = tryParseRegistriesConf(before);
  const now = tryParseRegistriesConf(after);
  if ("problem" in old) return { problem: sentence`The old file cannot be read: ${firstLine(old.problem)}` };
  if ("problem" in now) return { problem: sentence`The new file cannot be read: ${firstLine(now.problem)}` };
  return { change: compareRegistries(old.conf, now.conf) };
}

function byPath(
  path: string,
  policy: FilePolicy | undefined,
  { isSingleNode, rebootsAlways }: Circumstances,
): Verdict {
  if (rebootsAlways) {
    const text = "The pool is in image mode: on this release its nodes reboot for every change.";
    return { cost: "reboot", rule: { code: "image-mode", text } };
  }
  if (!policy) {
    const text = sentence`No node disruption policy covers ${path}, so nodes reboot.`;
    return { cost: "reboot", rule: { code: "no-policy", text } };
  }
  const cost = costOfActions(policy.actions, { isSafe: true, isSingleNode });
  return { cost, rule: { code: "policy", text: policySentence(policy) } };
}

function costOfRegistriesConf(
  file: FileChange,
  policy: FilePolicy | undefined,
  circumstances: Circumstances,
): CostOfFile {
  const { isSingleNode, undrained } = circumstances;
  const actions = policy?.actions ?? reboot;
  const isSpecial = actions.some(({ type }) => type === "Special");
  const whole = isSpecial ? undefined : byPath(file.path, policy, circumstances);
  // If no MachineConfig writes the file, nodes have the default of machine-config-operator.
  const read = readChange(file.before?.contents ?? defaultTemplate, file.after?.contents ?? defaultTemplate);
  if ("problem" in read) {
    if (whole) return { changes: [changedFile(file, whole)], actions };
    const text = sentence`${read.problem}. The node's daemon stops at it with an error and the pool degrades.`;
    const verdict = { cost: "reboot", rule: { code: "registries-conf-unreadable", text } } as const;
    return { changes: [changedFile(file, verdict)], actions: reboot };
  }
  const { change } = read;
  const verdict = whole ?? {
    cost: costOfActions(actions, { isSafe: undrained !== undefined || isSafeChange(change), isSingleNode }),
    rule: registriesRule(change, undrained),
  };
  return {
    changes: [changedFile(file, verdict), ...registriesParts(change, { whole, undrained })],
    actions,
  };
}

/** Returns the changed scopes, each with the file's cost: machine-config-daemon ignores the content of drop-ins. */
function scopesOfDropIn(file: FileChange, whole: Verdict): readonly Change[] {
  if (!isDropIn(file.path)) return [];
  const read = readChange(file.before?.contents ?? "", file.after?.contents ?? "");
  if ("problem" in read) return [];
  const { scopes } = read.change;
  return registriesParts({ scopes, searchList: undefined }, { whole, undrained: undefined, file: file.path });
}

/** Returns the cost of a changed file. The policy with the longest matching path decides; without one, nodes reboot. */
export function costOfFile(file: FileChange, circumstances: Circumstances): CostOfFile {
  const { policies, rebootsAlways } = circumstances;
  const policy = rebootsAlways ? undefined : findFilePolicy(policies, file.path);
  if (file.path === nodePaths.registriesConf) return costOfRegistriesConf(file, policy, circumstances);
  const verdict = byPath(file.path, policy, circumstances);
  return {
    changes: [changedFile(file, verdict), ...scopesOfDropIn(file, verdict)],
    actions: policy?.actions ?? reboot,
  };
}
