import { fieldsOf, isRecord, ownValue, type UnknownRecord } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { parseYamlDocument } from "../../manifests/yaml-document.ts";
import { splitYamlStream } from "../../manifests/yaml-stream.ts";
import { sentence } from "../../text/redact.ts";

/** The word that replaces each variable and each field in a raw template, as in TALM. */
export const placeholder = "placeholder";

/** An object of a policy, and the path of its spec in the policy. */
export type PolicyObject = Readonly<{ object: UnknownRecord; specPath: string }>;

/** The objects of a policy, or why they cannot be read, in TALM's words. */
export type PolicyObjects =
  | Readonly<{ ok: true; objects: readonly PolicyObject[] }>
  | Readonly<{ ok: false; message: string }>;

const rawText = "object-templates-raw";
const problems = {
  noTemplates: "[stripPolicy] spec -> policy-templates not found",
  both: "[stripPolicy] found both object-templates and object-templates-raw in policyTemplate",
  neither: "[stripPolicy] can't find object-templates or object-templates-raw in policyTemplate",
  unreadable: `policy was unable to be unmmarshalled from ${rawText}`,
  noList: `policy was unable to be unmmarshalled from ${rawText}: it is not a list`,
  noDefinition: "[stripPolicy] can't find any objectDefinition",
} as const;
type Problem = (typeof problems)[keyof typeof problems];

/** Reports whether a text contains a template. A template must end on the line on which it starts. */
export function hasTemplate(text: string): boolean {
  return text.split("\n").some((line) => {
    const start = line.indexOf("{{");
    return start >= 0 && line.includes("}}", start + 2);
  });
}

/** Reports whether a value is a non-empty text without a template or placeholder. */
export function isUsable(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes(placeholder) && !hasTemplate(value);
}

/** Returns the text without all matches of `/\{\{[^}]+\}\}/g`, in linear time. */
function withoutBraces(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let close = text.indexOf("}"); close >= 0; close = text.indexOf("}", from)) {
    const open = text.indexOf("{{", from);
    const isTemplate = open >= 0 && open + 2 < close && text[close + 1] === "}";
    kept.push(text.slice(from, isTemplate ? open : close + 1));
    from = isTemplate ? close + 2 : close + 1;
  }
  return `${kept.join("")}${text.slice(from)}`;
}

function withoutTemplates(text: string): string {
  return withoutBraces(text.replaceAll(/\{\{\s{0,1000}[$.][\w.]*\s{0,1000}\}\}/g, placeholder));
}

function parseRaw(text: string): unknown {
  const documents = splitYamlStream(withoutTemplates(text));
  const first = documents.find((one) => !one.isEmpty || one.text.startsWith("---"));
  if (!first) return null;
  try {
    return parseYamlDocument(first.text).value;
  } catch {
    // The library's message quotes the text, which may contain secrets.
    return undefined;
  }
}

type Templates =
  | Readonly<{
      items: readonly unknown[];
      isRaw: boolean;
      specPath(index: number): string;
    }>
  | Problem;

function operatorTemplate({ kind, spec }: UnknownRecord): UnknownRecord | undefined {
  if (kind !== "OperatorPolicy") return undefined;
  const { complianceType, subscription } = fieldsOf(spec);
  const { namespace, ...fields } = fieldsOf(subscription);
  const metadata = { name: fields.name, namespace };
  const apiVersion = "operators.coreos.com/v1alpha1";
  return { complianceType, objectDefinition: { apiVersion, kind: "Subscription", metadata, spec: fields } };
}

function templatesOf(policyTemplate: unknown): Templates {
  const definition = fieldsOf(policyTemplate).objectDefinition;
  const operator = operatorTemplate(fieldsOf(definition));
  if (operator) return { items: [operator], isRaw: false, specPath: () => "spec.subscription" };
  const spec = fieldsOf(fieldsOf(definition).spec);
  const listed = spec["object-templates"] ?? undefined;
  const raw = spec[rawText] ?? undefined;
  if (listed !== undefined && raw !== undefined) return problems.both;
  if (listed === undefined && raw === undefined) return problems.neither;
  const pathIn = (field: string) => (index: number) => `spec.${field}[${index}].objectDefinition.spec`;
  if (listed !== undefined)
    return Array.isArray(listed)
      ? { items: listed, isRaw: false, specPath: pathIn("object-templates") }
      : problems.noList;
  if (typeof raw !== "string") return problems.noList;
  const items = parseRaw(raw);
  if (Array.isArray(items)) return { items, isRaw: true, specPath: pathIn(rawText) };
  return items === undefined ? problems.unreadable : problems.noList;
}

function policyTemplatesOf(policy: unknown): readonly unknown[] | undefined {
  const templates = fieldsOf(policy)["policy-templates"];
  return Array.isArray(templates) ? templates : undefined;
}

/** Reports whether a compliance type is `mustnothave`, of which the policy API accepts several spellings. */
function isForbidden(complianceType: unknown): boolean {
  return typeof complianceType === "string" && complianceType.toLowerCase() === "mustnothave";
}

/** Returns the objects that a policy requires, in order. Objects with `mustnothave` are skipped. */
export function policyObjects(policySpec: unknown): PolicyObjects {
  const policyTemplates = policyTemplatesOf(policySpec);
  if (!policyTemplates) return { ok: false, message: problems.noTemplates };
  const objects: PolicyObject[] = [];
  for (const [place, policyTemplate] of policyTemplates.entries()) {
    const templates = templatesOf(policyTemplate);
    if (typeof templates === "string") return { ok: false, message: templates };
    for (const [index, template] of templates.items.entries()) {
      const { complianceType, objectDefinition } = fieldsOf(template);
      if (isForbidden(complianceType)) continue;
      if (!isRecord(objectDefinition)) return { ok: false, message: problems.noDefinition };
      const specPath = `spec.policy-templates[${place}].objectDefinition.${templates.specPath(index)}`;
      objects.push({ object: objectDefinition, specPath });
    }
  }
  return { ok: true, objects };
}

/** Returns the objects of these policies, each with its policy. Policies that cannot be read are skipped. */
export const objectsIn = (policies: readonly KubernetesObject[]) =>
  policies.flatMap((policy) => {
    const read = policyObjects(policy.spec);
    return read.ok ? read.objects.map((one) => ({ policy, ...one })) : [];
  });

/** Reports whether a policy's raw templates have conditions or loops, which choose objects on each cluster. */
export function choosesOnCluster(policySpec: unknown): boolean {
  return (policyTemplatesOf(policySpec) ?? []).some((policyTemplate) => {
    const raw = fieldsOf(fieldsOf(fieldsOf(policyTemplate).objectDefinition).spec)[rawText];
    return typeof raw === "string" && /\{\{-?[ \t]{0,100}(?:if|else|range|with)\b/.test(raw);
  });
}

/** The first structural problem of a root policy, if any. `hasStatus` is true if an object template has a `status`. */
export type PolicyForm = Readonly<{
  problem?: Readonly<{ path: string; message: string }>;
  hasStatus: boolean;
}>;

const sentences: Readonly<Record<Problem, string>> = {
  [problems.noTemplates]: "It is not a list.",
  [problems.both]: `It has both object-templates and ${rawText}.`,
  [problems.neither]: `It has neither object-templates nor ${rawText}.`,
  [problems.unreadable]: `Its ${rawText} is not YAML once the templates are removed.`,
  [problems.noList]: "Its object templates are not a list.",
  [problems.noDefinition]: "An object template has no objectDefinition.",
};

/**
 * Checks the structure of a root policy as TALM does. A policy with a `status` in an object template never counts as
 * compliant before the upgrade.
 */
export function inspectPolicy(policySpec: unknown): PolicyForm {
  const malformed = (path: string, message: string): PolicyForm => ({
    problem: { path, message },
    hasStatus: false,
  });
  const all = "spec.policy-templates";
  const policyTemplates = policyTemplatesOf(policySpec);
  if (!policyTemplates) return malformed(all, sentences[problems.noTemplates]);
  let hasStatus = false;
  for (const [index, policyTemplate] of policyTemplates.entries()) {
    const path = `${all}[${index}].objectDefinition`;
    const definition = fieldsOf(policyTemplate).objectDefinition;
    if (!isRecord(definition)) return malformed(path, "It is not an object.");
    const absent = ["metadata", "spec"].find((field) => !ownValue(definition, field));
    if (absent !== undefined) return malformed(`${path}.${absent}`, "It is missing.");
    const templates = templatesOf(policyTemplate);
    const { kind } = definition;
    if (templates === problems.neither && kind !== undefined && kind !== "ConfigurationPolicy")
      return malformed(
        `${path}.kind`,
        sentence`Pre-caching reads ConfigurationPolicies and OperatorPolicies, and not the kind ${String(kind)}.`,
      );
    if (typeof templates === "string") return malformed(`${path}.spec`, sentences[templates]);
    for (const template of templates.items) {
      const objectDefinition = isRecord(template) ? (template.objectDefinition ?? undefined) : template;
      if (objectDefinition === undefined && templates.isRaw) continue;
      if (!isRecord(template) || !isRecord(objectDefinition))
        return malformed(all, sentences[problems.noDefinition]);
      hasStatus ||= (objectDefinition.status ?? undefined) !== undefined;
    }
  }
  return { hasStatus };
}
