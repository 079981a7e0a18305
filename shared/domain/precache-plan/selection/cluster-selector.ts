import { fieldsOf, isRecord, isStringList, listOf } from "../../kubernetes/json/values.ts";
import { type LabelSelector, selects } from "../../kubernetes/label-selector.ts";
import { sentence } from "../../text/redact.ts";

type Labels = Readonly<Record<string, string>>;

/** Matches labels; `error` is why a selector is invalid, in the words of the Go library. */
export type Selector = Readonly<{ matches: (labels: Labels) => boolean } | { error: string }>;

type Requirement = LabelSelector[number];

const namePart =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const nameForm = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const nameHint = `${namePart} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${nameForm}')`;
const valueHint = sentence`a valid label must be an empty string or consist of${namePart.slice("must consist of".length)} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${nameForm})?')`;
const subdomainHint =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const isName = (text: string): boolean => /^[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?$/.test(text);
const isSubdomain = (text: string): boolean =>
  text.split(".").every((label) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(label));
const tooLong = (text: string, max: number): readonly string[] =>
  Buffer.byteLength(text) > max ? [`must be no more than ${max} bytes`] : [];

function keyProblems(key: string): readonly string[] {
  const parts = key.split("/");
  if (parts.length > 2)
    return [
      `a valid label key ${nameHint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const ofPrefix =
    prefix === undefined
      ? []
      : prefix === ""
        ? ["must be non-empty"]
        : [...tooLong(prefix, 253), ...(isSubdomain(prefix) ? [] : [subdomainHint])];
  const ofName = [
    ...(name === "" ? ["must be non-empty"] : tooLong(name, 63)),
    ...(isName(name) ? [] : [nameHint]),
  ];
  return [
    ...ofPrefix.map((problem) => sentence`prefix part ${problem}`),
    ...ofName.map((problem) => sentence`name part ${problem}`),
  ];
}

function valueProblems(value: string): readonly string[] {
  return [...tooLong(value, 63), ...(value === "" || isName(value) ? [] : [valueHint])];
}

function valuesProblem({ operator, values }: Requirement): string | undefined {
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues && values.length === 0)
    return "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
  if (!takesValues && values.length > 0)
    return sentence`values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`;
  return undefined;
}

function problemOf(requirement: Requirement): string | undefined {
  const { key, operator, values } = requirement;
  if (!["In", "NotIn", "Exists", "DoesNotExist"].includes(operator))
    return sentence`"${operator}" is not a valid label selector operator`;
  const ofKey = keyProblems(key);
  const ofValues = valuesProblem(requirement);
  const problems = [
    ...(ofKey.length > 0 ? [sentence`key: Invalid value: ${JSON.stringify(key)}: ${ofKey.join("; ")}`] : []),
    ...(ofValues === undefined ? [] : [ofValues]),
    ...values.flatMap((value, index) => {
      const found = valueProblems(value);
      return found.length > 0
        ? [sentence`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${found.join("; ")}`]
        : [];
    }),
  ];
  return problems.length > 1 ? `[${problems.join(", ")}]` : problems[0];
}

function requirementsOf(selector: unknown): readonly Requirement[] {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const equal = Object.entries(fieldsOf(matchLabels)).map(([key, value]) => ({
    key,
    operator: "In",
    values: [String(value)],
  }));
  const expressions = listOf(matchExpressions).map((expression: unknown) => {
    const { key, operator, values } = fieldsOf(expression);
    return {
      key: String(key ?? ""),
      operator: String(operator ?? ""),
      values: isStringList(values) ? values : [],
    };
  });
  return [...equal, ...expressions];
}

/** A part of a selector with a wrong type; `field` is empty for the selector itself. */
export type SelectorTypeError = Readonly<{ field: string; value: unknown; wanted: string }>;

/** Returns the first part of a selector with a wrong type. Treated as absent, it would select every cluster. */
export function selectorTypeError(selector: unknown): SelectorTypeError | undefined {
  if (!isRecord(selector)) return { field: "", value: selector, wanted: "an object" };
  const labels = selector.matchLabels ?? {};
  if (!isRecord(labels) || !isStringList(Object.values(labels)))
    return { field: "matchLabels", value: labels, wanted: "an object of texts" };
  const expressions = selector.matchExpressions ?? [];
  if (!Array.isArray(expressions) || !expressions.every(isRecord))
    return { field: "matchExpressions", value: expressions, wanted: "a list of objects" };
  return undefined;
}

/** Reads an entry of `clusterLabelSelectors`, a LabelSelector of `meta/v1`: an empty one matches every cluster. */
export function readClusterSelector(selector: unknown): Selector {
  const typeError = selectorTypeError(selector);
  if (typeError) return { error: sentence`${typeError.field || "a selector"} is not ${typeError.wanted}` };
  const requirements = requirementsOf(selector);
  const error = requirements.map(problemOf).find((problem) => problem !== undefined);
  if (error !== undefined) return { error };
  return { matches: (labels) => selects(requirements, labels) };
}

/**
 * Reads an entry of the deprecated `clusterSelector`: `key=value`, or only `key` for an empty value. Undefined for
 * one with more parts, which is ignored.
 */
export function readSelectorEntry(entry: string): Extract<Selector, { matches: unknown }> | undefined {
  const [key = "", value = "", ...more] = entry.split("=");
  if (more.length > 0) return undefined;
  return { matches: (labels) => selects([{ key, operator: "In", values: [value] }], labels) };
}
