import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { fieldsOf } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isRuleKind, type RuleKind } from "./earlier-kinds.ts";
import { unreadRules } from "./left-out-rules.ts";
import type { MirrorRule } from "./rules.ts";
import type { Compat } from "./validate-rules.ts";

/** Objects that look like mirror objects but have a wrong group, version or kind. */
export type MisnamedObjects = Readonly<{
  issues: readonly Issue[];
  /** Their rules, none of which takes effect. */
  rules: readonly MirrorRule[];
  /** The objects, each with the kind that was meant. */
  meant: readonly Readonly<{ object: KubernetesObject; ruleKind: RuleKind }>[];
}>;

/** Returns `imagetagmirror` for `ImageTagMirrorSet`, `ImageTagMirrors` and similar names. */
function stem(kind: string): string {
  return kind.toLowerCase().replace(/ies$/, "y").replace(/s$/, "").replace(/set$/, "");
}

function misnamed(object: KubernetesObject, meant: RuleKind, compat: Compat): Issue {
  const severity = compat === "mco" ? "warning" : "error";
  const [apiVersion] = meant.apiVersions;
  if (object.kind === meant.kind)
    return fieldIssue(object, "apiVersion", object.apiVersion, {
      code: "WrongApiVersion",
      severity,
      message: sentence`${object.kind} is not served as ${object.apiVersion}; its rules have no effect`,
      remedy: sentence`Write apiVersion: ${apiVersion}.`,
    });
  return fieldIssue(object, "kind", object.kind, {
    code: "UnknownKind",
    severity,
    message: sentence`${object.kind} is not a kind of the API; its rules have no effect`,
    remedy: sentence`Write apiVersion: ${apiVersion} and kind: ${meant.kind}, with its rules in spec.${meant.list}.`,
  });
}

/** The CRD of `ImageContentPolicy` exists on clusters, so nothing else reports it. */
function withoutEffect(object: KubernetesObject): Issue {
  return fieldWarning(object, "kind", object.kind, {
    code: "KindWithoutEffect",
    message: "ImageContentPolicy can be created, but nothing reads it",
    remedy: "Write its rules as an ImageDigestMirrorSet and, for pulls by tag, an ImageTagMirrorSet.",
  });
}

/**
 * Finds objects whose group, version or kind is similar to that of a mirror object. Such an object would be
 * silently ignored as a foreign one; instead a warning gives the right name.
 */
export function findMisnamedObjects(
  objects: readonly KubernetesObject[],
  ruleKinds: readonly RuleKind[],
  compat: Compat,
): MisnamedObjects {
  const byStem = new Map(ruleKinds.map((ruleKind) => [stem(ruleKind.kind), ruleKind]));
  const lists = new Set(ruleKinds.map(({ list }) => list));
  const issues: Issue[] = [];
  const rules: MirrorRule[] = [];
  const found: MisnamedObjects["meant"][number][] = [];
  for (const object of objects) {
    const meant = byStem.get(stem(object.kind));
    if (meant && !isRuleKind(meant, object)) {
      issues.push(misnamed(object, meant, compat));
      found.push({ object, ruleKind: meant });
      rules.push(...unreadRules(object, fieldsOf(object.spec), lists));
    }
    if (object.kind === "ImageContentPolicy" && object.apiVersion.startsWith("config.openshift.io/")) {
      issues.push(withoutEffect(object));
    }
  }
  return { issues, rules, meant: found };
}
