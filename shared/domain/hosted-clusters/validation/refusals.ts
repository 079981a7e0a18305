import type { Admission } from "../../crd/admit.ts";
import type { FieldError, FieldErrorType } from "../../crd/field-error.ts";
import { type Issue, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

const codes: Readonly<Record<FieldErrorType, string>> = {
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
  "Create a new HostedCluster for other capabilities: those of a running one stay as they were written, their order included.";

/** The way out, by what is wrong, where that says enough. */
const remediesByType: Readonly<Partial<Record<FieldErrorType, string>>> = {
  FieldValueTooMany: "Make it shorter.",
  FieldValueTooLong: "Make it shorter.",
  FieldValueRequired: "Write it.",
  FieldValueTypeInvalid: "Write a value of this type.",
  FieldValueDuplicate: "List it once.",
};

/** The way out, by the field, where there is more to say than the message does. */
const remediesByField: Readonly<Record<string, string>> = {
  "spec.capabilities": "Name each capability in one of the lists.",
  "spec.capabilities.disabled": "Disable Console as well, or keep Ingress.",
  "spec.olmCatalogPlacement": 'Write "management" or "guest", or leave it out.',
  "spec.pausedUntil": 'Write "true", "false" or a time like 2026-12-01T00:00:00Z.',
};

function remedyOf({ field, isTransition, type }: FieldError): string {
  if (isTransition && field.startsWith("spec.capabilities")) return immutableCapabilities;
  if (isTransition) return "Keep what the cluster was created with.";
  const known = remediesByType[type] ?? remediesByField[field];
  if (known !== undefined) return known;
  return field.startsWith("spec.capabilities.")
    ? "See the allowed names and rules in docs/hosted-clusters.md."
    : "The API server refuses the object as it is.";
}

/** Field names of HyperShift's design document, by the real ones. */
const renamed: Readonly<Record<string, string>> = {
  "spec.capabilities.disabledCapabilities": "spec.capabilities.disabled",
  "spec.capabilities.enabledCapabilities": "spec.capabilities.enabled",
};

function droppedField(object: KubernetesObject, path: string): Issue {
  const realName = renamed[path];
  return {
    code: "UnknownField",
    severity: realName ? "error" : "warning",
    object: issueObject(object),
    path,
    value: undefined,
    message: realName
      ? `unknown field "${path}"`
      : `unknown field "${path}": oc and kubectl refuse it, other clients are told that it is dropped`,
    remedy: realName ? `The field is called ${realName}.` : "Remove it, or mend its name.",
  };
}

/** How an API server calls the place of an error that is about no field. */
const nowhere = "<nil>";

/** No refusal of its own: it comes with those that must be mended first. */
function rulesNotChecked(object: KubernetesObject, { message }: FieldError): Issue {
  return {
    code: "RulesNotChecked",
    severity: "warning",
    object: issueObject(object),
    path: "spec",
    value: undefined,
    message,
    remedy: "Validate again when the errors are mended.",
  };
}

/** What an API server says about an object, as issues: its refusals are errors in its own words. */
export function admissionIssues(object: KubernetesObject, admission: Admission): readonly Issue[] {
  const about = issueObject(object);
  const refusals = admission.errors.map((error): Issue => {
    if (error.field === nowhere) return rulesNotChecked(object, error);
    return {
      code: error.isTransition ? "ImmutableField" : codes[error.type],
      severity: "error",
      object: about,
      path: error.field,
      // A rule may be about the whole spec: nobody wants to read that again.
      value: error.field === "spec" ? undefined : error.value,
      message: error.message,
      remedy: remedyOf(error),
    };
  });
  const unknown = admission.unknownRules.map(
    ({ field, message, reason }): Issue => ({
      code: "RuleNotEvaluated",
      severity: "warning",
      object: about,
      path: field,
      value: undefined,
      message: `this rule could not be evaluated here (${reason}): ${message}`,
      remedy: "Ask the hub itself: --against hub.",
    }),
  );
  return [...refusals, ...admission.dropped.map((path) => droppedField(object, path)), ...unknown];
}
