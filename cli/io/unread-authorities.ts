import { authoritiesIssue } from "#functions/hosted-clusters/snapshot/access-issues.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { ResolvedAccess } from "#shared/registry/registry-access.ts";
import { imageConfigName } from "#shared/registry/well-known-names.ts";

const imageConfig = {
  object: { kind: kinds.Image.kind, name: imageConfigName },
  path: "spec.additionalTrustedCA.name",
};
const remedy =
  "Bind a role that allows getting it to your user, or use -f and include that ConfigMap in the manifests.";

/** Returns a warning when the caller may not read the ConfigMap of registry certificate authorities. */
export function unreadAuthorities({ unreadAuthorities: configMap }: ResolvedAccess): Issue | undefined {
  return configMap === undefined ? undefined : authoritiesIssue(imageConfig, configMap, remedy);
}
