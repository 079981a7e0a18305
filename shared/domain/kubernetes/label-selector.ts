import { sentence } from "../text/redact.ts";
import { isRecord, isStringList, ownValue } from "./json/values.ts";

type Requirement = Readonly<{ key: string; operator: string; values: readonly string[] }>;

/** The conditions of a label selector, all of which must hold. An empty list selects every object. */
export type LabelSelector = readonly Requirement[];

const operators: readonly unknown[] = ["In", "NotIn", "Exists", "DoesNotExist"];

/** The schema of a selector in a CustomResourceDefinition. */
export const selectorDefinition = {
  type: "object",
  properties: {
    matchLabels: { type: "object", additionalProperties: { type: "string" } },
    matchExpressions: {
      type: "array",
      maxItems: 64,
      items: {
        type: "object",
        required: ["key", "operator"],
        properties: {
          key: { type: "string", minLength: 1 },
          operator: { type: "string", enum: operators },
          values: { type: "array", maxItems: 1024, items: { type: "string" } },
        },
        "x-kubernetes-validations": [
          {
            rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
            message: "In and NotIn need values, Exists and DoesNotExist take none",
          },
        ],
      },
    },
  },
  "x-kubernetes-map-type": "atomic",
};

/** An error in a selector. `field` is a path inside the selector. */
export type SelectorError = Readonly<{ field: string; value: unknown; message: string }>;

const wrong = (field: string, value: unknown, message: string): SelectorError => ({ field, value, message });

const isName = (text: string): boolean => /^[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/.test(text);

function isKey(key: string): boolean {
  const [name = "", prefix = "a", ...more] = key.split("/").toReversed();
  return isName(name) && /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/.test(prefix) && more.length === 0;
}

/** Returns an error for a key or value that no label can have: with `NotIn` it would select every object. */
function impossible({ key, values }: Requirement, field: string): SelectorError | undefined {
  if (!isKey(key)) return wrong(field, key, sentence`No label can have the key ${key}`);
  const value = values.find((one) => one !== "" && !isName(one));
  return value === undefined
    ? undefined
    : wrong(field, value, sentence`No label can have the value ${value}`);
}

function readExpression(value: unknown, field: string): Requirement | SelectorError {
  if (!isRecord(value) || typeof value.key !== "string" || value.key === "")
    return wrong(field, value, "An expression must have a key");
  const { key, operator, values = [] } = value;
  if (typeof operator !== "string" || !operators.includes(operator))
    return wrong(`${field}.operator`, operator, "The operator must be In, NotIn, Exists or DoesNotExist");
  if (!isStringList(values)) return wrong(`${field}.values`, values, "Values must be a list of strings");
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues !== values.length > 0)
    return wrong(
      `${field}.values`,
      values,
      takesValues ? `${operator} needs values` : sentence`${operator} takes no values`,
    );
  return impossible({ key, operator, values }, field) ?? { key, operator, values };
}

/** Reads a `LabelSelector` of `meta/v1`. Returns an error if the API server would refuse the selector. */
export function readLabelSelector(
  value: unknown,
): Readonly<{ selector: LabelSelector } | { error: SelectorError }> {
  if (!isRecord(value)) return { error: wrong("", value, "A selector must be an object") };
  const [matchLabels, matchExpressions] = [value.matchLabels ?? {}, value.matchExpressions ?? []];
  if (!isRecord(matchLabels) || !isStringList(Object.values(matchLabels)))
    return { error: wrong("matchLabels", matchLabels, "Labels must be a map of strings") };
  if (!Array.isArray(matchExpressions))
    return { error: wrong("matchExpressions", matchExpressions, "Expressions must be a list") };
  const requirements: Requirement[] = Object.entries(matchLabels).map(([key, label]) => ({
    key,
    operator: "In",
    values: [String(label)],
  }));
  const error = requirements.map((one) => impossible(one, "matchLabels")).find(Boolean);
  if (error) return { error };
  for (const [index, expression] of matchExpressions.entries()) {
    const read = readExpression(expression, `matchExpressions[${index}]`);
    if ("message" in read) return { error: read };
    requirements.push(read);
  }
  return { selector: requirements };
}

function holds({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const label = ownValue(labels, key);
  if (operator === "Exists") return label !== undefined;
  if (operator === "DoesNotExist") return label === undefined;
  const among = label !== undefined && values.includes(label);
  return operator === "In" ? among : !among;
}

/** Reports whether the API server would select an object with these labels. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  return selector.every((requirement) => holds(requirement, labels));
}
