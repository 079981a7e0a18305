import { authoritiesIssue } from "#functions/hosted-clusters/observe/access-issues.ts";
import type { ResolvedAccess } from "#functions/hosted-clusters/observe/registry-access.ts";
import { imageConfigName } from "#functions/hosted-clusters/well-known-names.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";

const imageConfig = {
  object: { kind: kinds.Image.kind, name: imageConfigName },
  path: "spec.additionalTrustedCA.name",
};
const remedy =
  "Have a role bound to you there that may get it, or use -f with that ConfigMap among the manifests.";

/** The authorities of registries that the person who runs the command may not read; undefined without any. */
export function unreadAuthorities({ unreadAuthorities: configMap }: ResolvedAccess): Issue | undefined {
  return configMap === undefined ? undefined : authoritiesIssue(imageConfig, configMap, remedy);
}
