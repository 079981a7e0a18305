import { type Issue, issueObject } from "../../issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  annotatedWindows,
  gateAt,
  type NamedWindow,
  namedWindows,
  nameOf,
  windowAnnotation,
} from "../../windows/gate.ts";
import { conditionTypes, storedCondition, storedConditions } from "../conditions.ts";
import { readUpgradeSpec } from "./upgrade-spec.ts";

/**
 * When the rollout is handed back to TALM after pre-caching, by `enable: true`: `"now"` as soon as pre-caching is
 * done; a time (RFC 3339) before which it is not; `"window"`, inside the MaintenanceWindows that the object names; or
 * `"window=NAME"`, inside other ones.
 */
const enableAnnotation = "hubrelay.dev/enable-after-precaching";

/** What is to be done: nothing, `enable` it now, or `wait` until a time; what is wrong with the wish is told. */
export type HandBack = Readonly<
  | { step: "none"; issues: readonly Issue[] }
  | { step: "enable"; issues: readonly Issue[] }
  | { step: "wait"; until: Date; issues: readonly Issue[] }
>;

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const window = /^window(?:=(.*))?$/;

function wishOf({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[enableAnnotation];
}

/** True when MaintenanceWindows decide about it, so that those have to be read. */
export function isHandedBackInWindow(cgu: KubernetesObject): boolean {
  return window.test(wishOf(cgu) ?? "");
}

/** True when pre-caching has ended with a cluster that goes on, and the rollout has not been enabled. */
export function isToHandBack(cgu: KubernetesObject): boolean {
  const done = storedCondition(storedConditions(cgu.status), conditionTypes.precachingSucceeded);
  return !readUpgradeSpec(cgu).enable && done?.status === "True";
}

function wrong(cgu: KubernetesObject, code: string, message: string, remedy: string): Issue {
  const path = `metadata.annotations["${enableAnnotation}"]`;
  return { code, severity: "error", object: issueObject(cgu), path, value: wishOf(cgu), message, remedy };
}

/** The windows that a wish names: those behind the equals sign, else those of the object's own annotation. */
function windowsOf(cgu: KubernetesObject, objects: readonly KubernetesObject[]): readonly NamedWindow[] {
  const [, names] = window.exec(wishOf(cgu) ?? "") ?? [];
  const annotations = { ...cgu.metadata.annotations, ...(names ? { [windowAnnotation]: names } : {}) };
  return (
    annotatedWindows({ ...cgu, metadata: { ...cgu.metadata, annotations } }, namedWindows(objects)) ?? []
  );
}

type Moment = Readonly<{ at: Date | undefined; issues: readonly Issue[] }>;

function momentInWindow(cgu: KubernetesObject, objects: readonly KubernetesObject[], now: Date): Moment {
  const named = windowsOf(cgu, objects);
  if (named.length === 0)
    return {
      at: undefined,
      issues: [
        wrong(
          cgu,
          "EnableWindowMissing",
          `No window is named, neither here nor in the annotation ${windowAnnotation}.`,
          'Write "window=NAME" or "window=NAMESPACE/NAME".',
        ),
      ],
    };
  const issues = named.flatMap((one) =>
    "problem" in one
      ? [
          wrong(
            cgu,
            "EnableWindowMissing",
            `${nameOf(one)} stays shut: ${one.problem}.`,
            "Create or correct the MaintenanceWindow, or name another one.",
          ),
        ]
      : [],
  );
  // What a window allows is about pre-caching and mirrors; a rollout begins in whatever window it is sent to.
  const gate = gateAt(named, () => true, now);
  return { at: gate.isOpen ? now : gate.opensAt, issues };
}

function momentOf(cgu: KubernetesObject, objects: readonly KubernetesObject[], now: Date): Moment {
  const wish = wishOf(cgu) ?? "";
  if (wish === "now") return { at: now, issues: [] };
  if (isHandedBackInWindow(cgu)) return momentInWindow(cgu, objects, now);
  const at = time.test(wish) ? new Date(wish) : undefined;
  if (at && !Number.isNaN(at.getTime())) return { at, issues: [] };
  return {
    at: undefined,
    issues: [
      wrong(
        cgu,
        "EnableTimeInvalid",
        "The value is neither now, nor a time, nor a window.",
        'Write "now", a time such as 2026-03-02T01:00:00Z, "window" or "window=NAME".',
      ),
    ],
  };
}

/**
 * Decides about `enable` once pre-caching has ended with at least one cluster: TALM goes on with the clusters that
 * have succeeded. Where all failed it stays as it is, for then there is nothing to roll out. `windows` are the
 * MaintenanceWindows; of those that are named one that is open is enough, and one that is missing stays shut.
 */
export function handBack(cgu: KubernetesObject, windows: readonly KubernetesObject[], now: Date): HandBack {
  if (wishOf(cgu) === undefined) return { step: "none", issues: [] };
  const { at, issues } = momentOf(cgu, windows, now);
  if (!at || !isToHandBack(cgu)) return { step: "none", issues };
  return at <= now ? { step: "enable", issues } : { step: "wait", until: at, issues };
}
