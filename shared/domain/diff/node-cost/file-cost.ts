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

/** The inputs, other than the change itself, that decide the cost of a change. */
export type Circumstances = Readonly<{
  policies: readonly FilePolicy[];
  isSingleNode: boolean;
  /** The rule by which an unsafe change of registries.conf drains no node; undefined if such a change drains nodes. */
  undrained: CostRule | undefined;
  /** True if every change reboots nodes, whatever the node disruption policies say. */
  rebootsAlways: boolean;
}>;

type CostOfFile = Readonly<{ changes: readonly Change[]; actions: readonly PolicyAction[] }>;

const reboot: readonly PolicyAction[] = [{ type: "Reboot" }];

function changedFile({ path, kind, before, after }: FileChange, verdict: Verdict): ChangedFile {
  return { path, kind, before: fileState(before), after: fileState(after), ...verdict };
}

/** Returns the first line of a parser's message; the next lines quote the file, and do not fit into a sentence. */
function firstLine(problem: string): string {
  return problem.replace(/:?\n[\s\S]*/, "");
}

/** Returns the differences between two texts of registries.conf, or the reason why one of them is invalid. */
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
  // If no MachineConfig writes the file, nodes have machine-config-operator's default.
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

/** Returns a drop-in's changed scopes, each with the file's cost: machine-config-daemon ignores drop-ins' content. */
function scopesOfDropIn(file: FileChange, whole: Verdict): readonly Change[] {
  if (!isDropIn(file.path)) return [];
  // If no MachineConfig writes the drop-in, nodes have none.
  const read = readChange(file.before?.contents ?? "", file.after?.contents ?? "");
  if ("problem" in read) return [];
  const { scopes } = read.change;
  return registriesParts({ scopes, searchList: undefined }, { whole, undrained: undefined, file: file.path });
}

/** Returns the cost of a changed file by the policy with the longest matching path; a reboot if no policy matches. */
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
