import type { Side } from "#shared/domain/diff/compare-sides.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { isOfAnyVersion } from "#shared/domain/issues/served-version.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";

/**
 * Returns a warning where the logins of pods' namespaces change: machine-config-operator writes them to
 * /etc/kubernetes/credential-providers, whose default policy restarts the kubelet (pkg/apihelpers/apihelpers.go:113).
 */
export function changedLogins(before: Side, after: Side): readonly Issue[] {
  const configOf = ({ objects }: Side) =>
    objects.find((object) => isOfAnyVersion(kinds.CRIOCredentialProviderConfig, object));
  const old = configOf(before);
  const now = configOf(after);
  const object = now ?? old;
  if (!object || isSameJson(old?.spec ?? null, now?.spec ?? null)) return [];
  return [
    fieldIssue(object, "spec", undefined, {
      code: "CredentialProviderChanges",
      severity: "warning",
      message:
        "This changes /etc/kubernetes/credential-providers on every node: the kubelet restarts, without a drain or reboot. That is not part of the cost.",
      remedy: "Nothing, unless a node disruption policy for this path says otherwise.",
    }),
  ];
}
