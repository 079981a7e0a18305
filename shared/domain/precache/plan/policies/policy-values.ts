import { sentence } from "../../../credentials/redact.ts";
import { imageProblem } from "../../../images/image-problem.ts";
import { fieldIssue, type Issue, type Problem, wrongType } from "../../../issues/issue.ts";
import { fieldsOf, ownValue, type UnknownRecord } from "../../../json/values.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";
import { isVersion } from "../../../releases/release.ts";
import { isClusterVersion } from "./platform-image.ts";
import { isUsable, policyObjects } from "./policy-objects.ts";
import { isOperatorKind } from "./policy-software.ts";

type Checks = Readonly<Record<string, (text: string) => Problem | undefined>>;

const reference = (text: string): Problem | undefined => {
  const problem = imageProblem(text);
  return problem && { code: "InvalidReference", ...problem };
};
const version = (text: string): Problem | undefined =>
  isVersion(text)
    ? undefined
    : {
        code: "InvalidVersion",
        message: sentence`${text} is not a version of OpenShift.`,
        remedy: "Write it like 4.20.4.",
      };

/** Templates are left to what reads the field: the cluster, or the hub, replaces them. */
function issuesOf(
  policies: readonly KubernetesObject[],
  isMeant: (object: UnknownRecord) => boolean,
  fieldsIn: (spec: UnknownRecord) => UnknownRecord,
  path: string,
  checks: Checks,
): readonly Issue[] {
  return policies.flatMap((policy) => {
    const read = policyObjects(policy.spec);
    const meant = read.ok ? read.objects.filter(({ object }) => isMeant(object)) : [];
    return meant.flatMap(({ object, specPath }) =>
      Object.entries(checks).flatMap(([field, check]): readonly Issue[] => {
        const value = ownValue(fieldsIn(fieldsOf(object.spec)), field) ?? "";
        const at = `${specPath}.${path}${field}`;
        if (typeof value !== "string") return [wrongType(policy, at, value, "a text")];
        const problem = isUsable(value) ? check(value) : undefined;
        return problem ? [fieldIssue(policy, at, value, problem)] : [];
      }),
    );
  });
}

/** Returns errors of ClusterVersions in policies that name no release image, or no version. */
export const releaseValueIssues = (policies: readonly KubernetesObject[]): readonly Issue[] =>
  issuesOf(
    policies,
    (object) => isClusterVersion(object, undefined),
    ({ desiredUpdate }) => fieldsOf(desiredUpdate),
    "desiredUpdate.",
    { image: reference, version },
  );

/** Returns errors of CatalogSources in policies whose image is none. */
export const catalogValueIssues = (policies: readonly KubernetesObject[]): readonly Issue[] =>
  issuesOf(
    policies,
    (object) => isOperatorKind(object, "CatalogSource"),
    (spec) => spec,
    "",
    { image: reference },
  );
