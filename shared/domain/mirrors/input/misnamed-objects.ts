import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { isRuleKind, type RuleKind } from "./earlier-kinds.ts";
import type { Refusing } from "./validate-rules.ts";

/** Objects that look like mirror objects but have a wrong group, version or kind. */
export type MisnamedObjects = Readonly<{
  issues: readonly Issue[];
  /** The objects, each with the kind that was meant. */
  meant: readonly Readonly<{ object: KubernetesObject; ruleKind: RuleKind }>[];
}>;

/** Returns `imagetagmirror` for `ImageTagMirrorSet`, `ImageTagMirrors` and similar names. */
function stem(kind: string): string {
  return kind.toLowerCase().replace(/ies$/, "y").replace(/s$/, "").replace(/set$/, "");
}

function misnamed(object: KubernetesObject, meant: RuleKind, refusing: Refusing): Issue {
  const severity = refusing === "operator" ? "warning" : "error";
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
  refusing: Refusing,
): MisnamedObjects {
  const byStem = new Map(ruleKinds.map((ruleKind) => [stem(ruleKind.kind), ruleKind]));
  const issues: Issue[] = [];
  const found: MisnamedObjects["meant"][number][] = [];
  for (const object of objects) {
    const meant = byStem.get(stem(object.kind));
    if (meant && !isRuleKind(meant, object)) {
      issues.push(misnamed(object, meant, refusing));
      found.push({ object, ruleKind: meant });
    }
    if (object.kind === "ImageContentPolicy" && object.apiVersion.startsWith("config.openshift.io/")) {
      issues.push(withoutEffect(object));
    }
  }
  return { issues, meant: found };
}
