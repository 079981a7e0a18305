import { expect, test } from "vitest";
import { type FieldErrorType, fieldError } from "../../crd/field-error.ts";
import { aHostedCluster } from "../fixtures.ts";
import { admissionIssues } from "./refusals.ts";
import { refusedValues } from "./validate-hosted-cluster.ts";

type Spec = Readonly<Record<string, unknown>>;
const accepted = { errors: [], dropped: [], unknownRules: [] };
const object = { kind: "HostedCluster", namespace: "clusters", name: "shop" };

const disabled = (...names: readonly string[]): Spec => ({ capabilities: { disabled: names } });
const sources = (...entries: readonly unknown[]): Spec => ({ imageContentSources: entries });
const asCreated =
  "Create a new HostedCluster for other capabilities: those of a running one are immutable, including their order.";

test.for<{ spec: Spec; stored?: Spec; code: string; path: string; value: unknown; remedy: string }>([
  {
    spec: disabled("Ingress"),
    code: "InvalidValue",
    path: "spec.capabilities.disabled",
    value: ["Ingress"],
    remedy: "Disable Console as well, or keep Ingress.",
  },
  {
    spec: { capabilities: { disabled: ["Console"], enabled: ["Console"] } },
    code: "InvalidValue",
    path: "spec.capabilities",
    value: { disabled: ["Console"], enabled: ["Console"] },
    remedy: "Name each capability in one of the lists.",
  },
  {
    spec: disabled("marketplace"),
    code: "UnsupportedValue",
    path: "spec.capabilities.disabled[0]",
    value: "marketplace",
    remedy: "See the allowed names and rules in docs/reference/hosted-clusters.md.",
  },
  {
    spec: { capabilities: "none" },
    code: "InvalidType",
    path: "spec.capabilities",
    value: "none",
    remedy: "Write a value of this type.",
  },
  {
    spec: { olmCatalogPlacement: "Guest" },
    code: "UnsupportedValue",
    path: "spec.olmCatalogPlacement",
    value: "Guest",
    remedy: 'Write "management" or "guest", or leave it out.',
  },
  {
    spec: { pausedUntil: "tomorrow" },
    code: "InvalidValue",
    path: "spec.pausedUntil",
    value: "tomorrow",
    remedy: 'Write "true", "false" or a time like 2026-12-01T00:00:00Z.',
  },
  {
    spec: sources({ source: "a.io", mirrors: ["m.lan", "m.lan"] }),
    code: "DuplicateValue",
    path: "spec.imageContentSources[0].mirrors[1]",
    value: "m.lan",
    remedy: "List it once.",
  },
  {
    spec: sources({ mirrors: [] }),
    code: "MissingField",
    path: "spec.imageContentSources[0].source",
    value: undefined,
    remedy: "Write it.",
  },
  {
    spec: { olmCatalogPlacement: "guest" },
    stored: {},
    code: "ImmutableField",
    path: "spec.olmCatalogPlacement",
    value: "guest",
    remedy: "Keep what the cluster was created with.",
  },
  {
    spec: disabled("Console"),
    stored: {},
    code: "ImmutableField",
    path: "spec.capabilities",
    value: { disabled: ["Console"] },
    remedy: asCreated,
  },
])("When the API server refuses $spec, it should report $code and the remedy", (one) => {
  const stored = one.stored && aHostedCluster({ spec: one.stored });
  const [issue] = refusedValues(aHostedCluster({ spec: one.spec }), stored);
  const { code, path, value, remedy } = one;
  expect(issue).toMatchObject({ code, severity: "error", object, path, value, remedy });
});

test("When a list of capabilities changes, it should report that about the list too", () => {
  const stored = aHostedCluster({ spec: disabled("Console", "Insights") });
  const issues = refusedValues(aHostedCluster({ spec: disabled("Insights", "Console") }), stored);
  expect(issues.map(({ code, path, remedy }) => [code, path, remedy])).toEqual([
    ["ImmutableField", "spec.capabilities", asCreated],
    ["ImmutableField", "spec.capabilities.disabled", asCreated],
  ]);
});

test.for([
  ["FieldValueInvalid", "InvalidValue", "The API server refuses the object as it is."],
  ["FieldValueTypeInvalid", "InvalidType", "Write a value of this type."],
  ["FieldValueNotSupported", "UnsupportedValue", "The API server refuses the object as it is."],
  ["FieldValueRequired", "MissingField", "Write it."],
  ["FieldValueTooLong", "TooLong", "Make it shorter."],
  ["FieldValueTooMany", "TooMany", "Make it shorter."],
  ["FieldValueDuplicate", "DuplicateValue", "List it once."],
  ["FieldValueForbidden", "ForbiddenValue", "The API server refuses the object as it is."],
] as const)("When an API server returns %s, it should report %s and the remedy", ([type, code, remedy]) => {
  const error = fieldError(type satisfies FieldErrorType, "spec.autoscaling", "x", "too bad");
  expect(admissionIssues(aHostedCluster(), { ...accepted, errors: [error] })).toEqual([
    { code, severity: "error", object, path: "spec.autoscaling", value: "x", message: error.message, remedy },
  ]);
});

test("When a rule is about the whole spec, the issue should not repeat it", () => {
  const error = fieldError("FieldValueInvalid", "spec", { release: {}, networking: {} }, "too bad");
  expect(admissionIssues(aHostedCluster(), { ...accepted, errors: [error] })).toMatchObject([
    { path: "spec", value: undefined },
  ]);
});

test("When the rules were not checked, it should warn about that", () => {
  const issues = refusedValues(aHostedCluster({ spec: disabled("marketplace") }));
  expect(issues[1]).toEqual({
    code: "RulesNotChecked",
    severity: "warning",
    object,
    path: "spec",
    value: undefined,
    message:
      "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    remedy: "Validate again when the errors are fixed.",
  });
});

test("When a rule cannot be evaluated here, it should report why, and who can", () => {
  const rule = { field: "spec.etcd", message: "no volume", reason: "it calls quantity()" };
  expect(admissionIssues(aHostedCluster(), { ...accepted, unknownRules: [rule] })).toEqual([
    {
      code: "RuleNotEvaluated",
      severity: "warning",
      object,
      path: "spec.etcd",
      value: undefined,
      message: "this rule could not be evaluated here (it calls quantity()): no volume",
      remedy: "Validate with the hub itself: --against hub.",
    },
  ]);
});

test("When a field is unknown, it should report who refuses it", () => {
  expect(admissionIssues(aHostedCluster(), { ...accepted, dropped: ["spec.relaese"] })).toEqual([
    {
      code: "UnknownField",
      severity: "warning",
      object,
      path: "spec.relaese",
      value: undefined,
      message:
        'unknown field "spec.relaese": oc and kubectl refuse it, other clients get a warning that it is dropped',
      remedy: "Remove it, or fix its name.",
    },
  ]);
});
