import { fieldIssue, fieldWarning, type Issue, wrongType } from "../../issues/issue.ts";
import { fieldsOutsideSpec, type KnownFields, unknownField } from "../../issues/unknown-fields.ts";
import { firstNonString, isRecord, ownValue, type UnknownRecord } from "../../kubernetes/json/values.ts";
import { type Kind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import {
  allowContactingSource,
  earlierKinds,
  isRuleKind,
  type MirrorRule,
  type PullKind,
  type RuleKind,
  type RuleOrigin,
  rulePath,
} from "./rules.ts";
import type { Refusing } from "./validate-rules.ts";

/** Returns `imagetagmirror` for `ImageTagMirrorSet` and `ImageTagMirrors`. */
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

function withoutEffect(object: KubernetesObject): Issue {
  return fieldWarning(object, "kind", object.kind, {
    code: "KindWithoutEffect",
    message: "ImageContentPolicy can be created, but nothing reads it",
    remedy: "Write its rules as an ImageDigestMirrorSet and, for pulls by tag, an ImageTagMirrorSet.",
  });
}

function findMisnamedObjects(
  objects: readonly KubernetesObject[],
  ruleKinds: readonly RuleKind[],
  refusing: Refusing,
): readonly Issue[] {
  const byStem = new Map(ruleKinds.map((ruleKind) => [stem(ruleKind.kind), ruleKind]));
  const issues: Issue[] = [];
  for (const object of objects) {
    const meant = byStem.get(stem(object.kind));
    if (meant && !isRuleKind(meant, object)) issues.push(misnamed(object, meant, refusing));
    if (object.kind === "ImageContentPolicy" && object.apiVersion.startsWith("config.openshift.io/")) {
      issues.push(withoutEffect(object));
    }
  }
  return issues;
}

const ofKind = (
  { apiVersion, kind }: Kind,
  list: string,
  pullKind: PullKind,
  hasPolicy: boolean,
): RuleKind => ({ kind, apiVersions: [apiVersion], list, pullKind, hasPolicy });

/** The kinds of mirror objects, in the order of validation. */
const ruleKinds: readonly RuleKind[] = [
  ofKind(kinds.ImageDigestMirrorSet, "imageDigestMirrors", "digest", true),
  ofKind(kinds.ImageContentSourcePolicy, "repositoryDigestMirrors", "digest", false),
  ofKind(kinds.ImageTagMirrorSet, "imageTagMirrors", "tag", true),
  ...earlierKinds,
];

type MirrorObjects = Readonly<{
  /** All mirror objects, also those without a valid rule. */
  objects: readonly KubernetesObject[];
  /** The rules in the order of validation: by kind, then in input order. */
  rules: readonly MirrorRule[];
  unreadable: number;
  issues: readonly Issue[];
}>;

type Reader = {
  readonly refusing: Refusing;
  rules: MirrorRule[];
  issues: Issue[];
  unreadable: number;
};

const ruleFields = ["source", "mirrors", "mirrorSourcePolicy"];
const policylessRuleFields = ["source", "mirrors"];

const knownFieldsOf = ({ list, hasPolicy }: Pick<RuleKind, "list" | "hasPolicy">): KnownFields => ({
  spec: [list],
  [`spec.${list}[]`]: hasPolicy ? ruleFields : policylessRuleFields,
});

/**
 * In lower case, because users may write another case: the enhancement “Add CRD ImageDigestMirrorSet and
 * ImageTagMirrorSet to config.openshift.io/v1” has `ImageTagMirrors` in its example.
 */
const everyList = new Set(ruleKinds.map(({ list }) => list.toLowerCase()));

function isMisplacedList(field: string, list: string): boolean {
  return field !== list && everyList.has(field.toLowerCase());
}

function wrongList(
  object: KubernetesObject,
  field: string,
  value: unknown,
  list: string,
  refusing: Refusing,
): Issue {
  return fieldIssue(object, `spec.${field}`, value, {
    code: "WrongField",
    severity: refusing === "operator" ? "warning" : "error",
    message: sentence`${object.kind} has its rules in spec.${list}; those in spec.${field} have no effect`,
    remedy: sentence`Rename spec.${field} to spec.${list}.`,
  });
}

function missingSpec(object: KubernetesObject, refusing: Refusing): Issue {
  return fieldIssue(object, "spec", null, {
    code: "MissingField",
    severity: refusing === "operator" ? "warning" : "error",
    message: sentence`${object.kind} has no spec; the API server refuses it`,
    remedy: "Write a spec with its rules, or remove the object.",
  });
}

function readRule(item: UnknownRecord, ruleKind: RuleKind, origin: RuleOrigin, reader: Reader) {
  const { object, list } = origin;
  const { pullKind, hasPolicy } = ruleKind;
  const known = hasPolicy ? ruleFields : policylessRuleFields;
  const refuse = (field: string, value: unknown, wanted: string): void => {
    reader.issues.push(wrongType(object, `${rulePath(origin)}.${field}`, value, wanted));
    reader.unreadable++;
  };
  for (const field in item) {
    if (known.includes(field)) continue;
    const found = { path: `${rulePath(origin)}.${field}`, place: `spec.${list}[]` };
    reader.issues.push(unknownField(object, found, knownFieldsOf(ruleKind)));
  }
  const source = item.source ?? "";
  if (typeof source !== "string") return refuse("source", source, "a string");
  const mirrors = item.mirrors ?? [];
  if (!Array.isArray(mirrors)) return refuse("mirrors", mirrors, "a list of strings");
  const bad = firstNonString(mirrors);
  if (bad >= 0) return refuse(`mirrors[${bad}]`, mirrors[bad], "a string");
  const policy = (hasPolicy ? item.mirrorSourcePolicy : undefined) ?? allowContactingSource;
  if (typeof policy !== "string") return refuse("mirrorSourcePolicy", policy, "a string");
  reader.rules.push({ pullKind, source, mirrors, policy, origin });
}

function readObject(object: KubernetesObject, ruleKind: RuleKind, reader: Reader): void {
  const { list } = ruleKind;
  const { spec } = object;
  reader.issues.push(...fieldsOutsideSpec(object, knownFieldsOf(ruleKind)));
  if (spec === undefined || spec === null) {
    reader.issues.push(missingSpec(object, reader.refusing));
    return;
  }
  if (!isRecord(spec)) {
    reader.issues.push(wrongType(object, "spec", spec, "an object"));
    return;
  }
  const misplacedLists = Object.keys(spec).filter((field) => isMisplacedList(field, list));
  for (const field of Object.keys(spec)) {
    if (field === list) continue;
    reader.issues.push(
      misplacedLists.includes(field)
        ? wrongList(object, field, ownValue(spec, field), list, reader.refusing)
        : unknownField(object, { path: `spec.${field}`, place: "spec" }, knownFieldsOf(ruleKind)),
    );
  }
  const items = ownValue(spec, list) ?? [];
  if (!Array.isArray(items)) {
    reader.issues.push(wrongType(object, `spec.${list}`, items, "a list of rules"));
    return;
  }
  for (let index = 0; index < items.length; index++) {
    const item: unknown = items[index];
    const origin = { object, list, index };
    if (isRecord(item)) readRule(item, ruleKind, origin, reader);
    else {
      reader.issues.push(wrongType(object, rulePath(origin), item, "an object with source and mirrors"));
      reader.unreadable++;
    }
  }
}

/** Reads the rules of all mirror objects. An invalid part becomes an issue and does not affect the rest. */
export function readMirrorObjects(
  objects: readonly KubernetesObject[],
  refusing: Refusing = "anyone",
): MirrorObjects {
  const issues = [...findMisnamedObjects(objects, ruleKinds, refusing)];
  const reader: Reader = { refusing, rules: [], issues, unreadable: 0 };
  const found = ruleKinds.flatMap((ruleKind) => {
    const matching = objects.filter((object) => isRuleKind(ruleKind, object));
    for (const object of matching) readObject(object, ruleKind, reader);
    return matching;
  });
  const { rules, unreadable } = reader;
  return { objects: found, rules, unreadable, issues };
}
