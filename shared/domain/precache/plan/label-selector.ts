import { type LabelSelector, selects } from "../../kubernetes/label-selector.ts";
import { isRecord, isStringList } from "../../mirrors/fields.ts";

type Labels = Readonly<Record<string, string>>;

/** Tells whether labels match; `error` says why a selector can match nothing, in the words of the Go library. */
export type Selector = Readonly<{ matches: (labels: Labels) => boolean } | { error: string }>;

type Requirement = LabelSelector[number];

function problemOf({ operator, values }: Requirement): string | undefined {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length === 0
        ? "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
        : undefined;
    case "Exists":
    case "DoesNotExist":
      return values.length > 0
        ? `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`
        : undefined;
    default:
      return `"${operator}" is not a valid label selector operator`;
  }
}

function requirementsOf(selector: unknown): readonly Requirement[] {
  const { matchLabels, matchExpressions } = isRecord(selector) ? selector : {};
  const equal = Object.entries(isRecord(matchLabels) ? matchLabels : {}).map(([key, value]) => ({
    key,
    operator: "In",
    values: [String(value)],
  }));
  const expressions = (Array.isArray(matchExpressions) ? matchExpressions : []).map((expression: unknown) => {
    const { key, operator, values } = isRecord(expression) ? expression : {};
    return {
      key: String(key ?? ""),
      operator: String(operator ?? ""),
      values: isStringList(values) ? values : [],
    };
  });
  return [...equal, ...expressions];
}

/** A part of a selector that is of another type than its API has; `field` is empty for the selector itself. */
export type SelectorSlip = Readonly<{ field: string; value: unknown; wanted: string }>;

/** The first part of a selector that is of another type. Read as absent it would select every cluster. */
export function selectorSlip(selector: unknown): SelectorSlip | undefined {
  if (!isRecord(selector)) return { field: "", value: selector, wanted: "an object" };
  const labels = selector.matchLabels ?? {};
  if (!isRecord(labels) || !isStringList(Object.values(labels)))
    return { field: "matchLabels", value: labels, wanted: "an object of texts" };
  const expressions = selector.matchExpressions ?? [];
  if (!Array.isArray(expressions) || !expressions.every(isRecord))
    return { field: "matchExpressions", value: expressions, wanted: "a list of objects" };
  return undefined;
}

/** Reads a metav1.LabelSelector: all its parts must match, and one without parts matches everything. */
export function labelSelector(selector: unknown): Selector {
  const slip = selectorSlip(selector);
  if (slip) return { error: `${slip.field || "a selector"} is not ${slip.wanted}` };
  const requirements = requirementsOf(selector);
  const error = requirements.map(problemOf).find((problem) => problem !== undefined);
  if (error !== undefined) return { error };
  return { matches: (labels) => selects(requirements, labels) };
}

/**
 * Reads an entry of the deprecated `clusterSelector`: `key=value`, or `key` alone for an empty value. Undefined for
 * one with more parts, which is ignored.
 */
export function labelEntry(entry: string): Extract<Selector, { matches: unknown }> | undefined {
  const [key = "", value = "", ...more] = entry.split("=");
  if (more.length > 0) return undefined;
  return { matches: (labels) => selects([{ key, operator: "In", values: [value] }], labels) };
}
