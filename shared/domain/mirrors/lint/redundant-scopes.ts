import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { ScopeIndex } from "../../images/scope.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, scopeFinding } from "./lint-finding.ts";

function redundantScope(image: KubernetesObject, listed: ListedScope, outer: string): LintFinding {
  const { scope } = listed;
  const inside =
    scope === outer ? "is listed twice" : sentence`lies in ${goQuote(outer)}, which is listed too`;
  return scopeFinding(image, listed, {
    code: "RedundantScope",
    about: outer,
    message: sentence`${goQuote(scope)} ${inside}`,
    remedy: "Remove this one; it makes no difference.",
  });
}

function redundantAmong(image: KubernetesObject, listed: readonly ListedScope[]): readonly LintFinding[] {
  const index = new ScopeIndex(listed.map(({ scope }) => [scope, scope]));
  const seen = new Set<string>();
  return listed.flatMap((one): LintFinding[] => {
    const outer = seen.has(one.scope) ? one.scope : index.enclosing(one.scope)[0];
    seen.add(one.scope);
    return outer === undefined ? [] : [redundantScope(image, one, outer)];
  });
}

/** Finds scopes of a list that another scope of the same list contains. */
export function redundantScopes({ image, insecure, blocked, allowed }: Assembled): readonly LintFinding[] {
  return image ? [insecure, blocked, allowed].flatMap((listed) => redundantAmong(image, listed)) : [];
}
