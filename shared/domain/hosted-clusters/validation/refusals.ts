import type { Admission } from "../../crd/admit.ts";
import type { FieldError, FieldErrorType } from "../../crd/field-error.ts";
import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { ownValue } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

const codes: Readonly<Record<FieldErrorType, Issue["code"]>> = {
  FieldValueInvalid: "InvalidValue",
  FieldValueTypeInvalid: "InvalidType",
  FieldValueNotSupported: "UnsupportedValue",
  FieldValueRequired: "MissingField",
  FieldValueTooLong: "TooLong",
  FieldValueTooMany: "TooMany",
  FieldValueDuplicate: "DuplicateValue",
  FieldValueForbidden: "ForbiddenValue",
};

const immutableCapabilities =
  "Create a new HostedCluster for other capabilities: those of a running one are immutable, including their order.";

/** Remedies by error type, if that is enough. */
const remediesByType: Readonly<Partial<Record<FieldErrorType, string>>> = {
  FieldValueTooMany: "Make it shorter.",
  FieldValueTooLong: "Make it shorter.",
  FieldValueRequired: "Write it.",
  FieldValueTypeInvalid: "Write a value of this type.",
  FieldValueDuplicate: "List it once.",
};

/** Remedies by field, if the message is not enough. */
const remediesByField: Readonly<Record<string, string>> = {
  "spec.capabilities": "Name each capability in one of the lists.",
  "spec.capabilities.disabled": "Disable Console as well, or keep Ingress.",
  "spec.olmCatalogPlacement": 'Write "management" or "guest", or leave it out.',
  "spec.pausedUntil": 'Write "true", "false" or a time like 2026-12-01T00:00:00Z.',
};

function remedyOf({ field, isTransition, type }: FieldError): string {
  if (isTransition && field.startsWith("spec.capabilities")) return immutableCapabilities;
  if (isTransition) return "Keep what the cluster was created with.";
  const known = remediesByType[type] ?? ownValue(remediesByField, field);
  if (known !== undefined) return known;
  return field.startsWith("spec.capabilities.")
    ? "See the allowed names and rules in docs/reference/hosted-clusters.md."
    : "The API server refuses the object as it is.";
}

/** Fields with their names in the enhancement “Disable the Image Registry via Capability”. */
const renamed: Readonly<Record<string, string>> = {
  "spec.capabilities.disabledCapabilities": "spec.capabilities.disabled",
  "spec.capabilities.enabledCapabilities": "spec.capabilities.enabled",
};

function droppedField(object: KubernetesObject, path: string): Issue {
  const realName = ownValue(renamed, path);
  return fieldIssue(object, path, undefined, {
    code: "UnknownField",
    severity: realName ? "error" : "warning",
    message: realName
      ? sentence`unknown field "${path}"`
      : sentence`unknown field "${path}": oc and kubectl refuse it, other clients get a warning that it is dropped`,
    remedy: realName ? sentence`The field is called ${realName}.` : "Remove it, or fix its name.",
  });
}

/** The path that an API server reports for an error that is about no field. */
const nowhere = "<nil>";

/** Not a refusal of its own: it accompanies errors that must be fixed first. */
function rulesNotChecked(object: KubernetesObject, { message }: FieldError): Issue {
  return fieldWarning(object, "spec", undefined, {
    code: "RulesNotChecked",
    message,
    remedy: "Validate again when the errors are fixed.",
  });
}

/** Converts the result of an API server to issues: its refusals are errors in its own words. */
export function admissionIssues(object: KubernetesObject, admission: Admission): readonly Issue[] {
  const refusals = admission.errors.map((error): Issue => {
    if (error.field === nowhere) return rulesNotChecked(object, error);
    // A rule may be about the whole spec, which is too long to repeat.
    const value = error.field === "spec" ? undefined : error.value;
    return fieldIssue(object, error.field, value, {
      code: error.isTransition ? "ImmutableField" : codes[error.type],
      message: error.message,
      remedy: remedyOf(error),
    });
  });
  const unknown = admission.unknownRules.map(({ field, message, reason }) =>
    fieldWarning(object, field, undefined, {
      code: "RuleNotEvaluated",
      message: sentence`this rule could not be evaluated here (${reason}): ${message}`,
      remedy: "Validate with the hub itself: --against hub.",
    }),
  );
  return [...refusals, ...admission.dropped.map((path) => droppedField(object, path)), ...unknown];
}
