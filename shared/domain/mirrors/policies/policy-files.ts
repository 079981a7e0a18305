import {
  type NodeFile,
  namespacePolicyPath,
  nodePaths,
  textFile,
} from "../../openshift/machine-config/node-file.ts";
import { type OperatorForm, ownForm } from "../../openshift/releases/machine-config-operator.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import { attachmentScopes, type UnusableScope } from "./attachment-scopes.ts";
import { encodePolicy, policyTemplate, withRequirements } from "./policy-json.ts";
import { acceptAnything, addRequirements, type Requirement, type SignaturePolicy } from "./requirement.ts";
import type { ScopedPolicy } from "./scoped-policies.ts";
import { encodeSigstoreRegistries } from "./sigstore-registries.ts";

/** The content of all signature policy files. */
export type PolicyPlan = Readonly<{
  /** The policy of the whole cluster; undefined when only namespaces have policies. */
  clusterWide: SignaturePolicy | undefined;
  /** By namespace, in the order of their files. */
  namespaced: readonly ScopedPolicy[];
  /** The scopes of all policies, cluster-wide ones first. */
  policyScopes: readonly string[];
  /** Reports whether the `atomic` transport accepts the scope. */
  isAtomicScope: (scope: string) => boolean;
}>;

const templatePolicy: SignaturePolicy = { default: acceptAnything, scopes: new Map() };

function namespaceFiles(plan: PolicyPlan, indent: string): readonly NodeFile[] {
  const byNamespace = new Map<string, Map<string, readonly Requirement[]>>();
  for (const { policy, at, requirement } of plan.namespaced) {
    const namespace = policy.object.metadata.namespace ?? "";
    const own = byNamespace.get(namespace) ?? new Map<string, readonly Requirement[]>();
    addRequirements(own, at.scope, [requirement]);
    byNamespace.set(namespace, own);
  }
  return [...byNamespace].map(([namespace, own]) => {
    const policy = withRequirements(plan.clusterWide ?? templatePolicy, own);
    return textFile(namespacePolicyPath(namespace), encodePolicy(policy, plan.isAtomicScope, indent));
  });
}

/**
 * Returns the files of signature policies in the order of the MachineConfig: policy.json, the locations of
 * signatures, one policy per namespace. `entries` is undefined when registries.conf is the template's.
 */
export function renderPolicyFiles(
  plan: PolicyPlan,
  entries: readonly RegistryEntry[] | undefined,
  { policyIndent, namespaceIndent, namesMirrorsOfScopes }: OperatorForm = ownForm,
): Readonly<{ files: readonly NodeFile[]; unusable: readonly UnusableScope[] }> {
  const policy = plan.clusterWide
    ? encodePolicy(plan.clusterWide, plan.isAtomicScope, policyIndent)
    : policyTemplate;
  const policyFile = textFile(nodePaths.policy, policy);
  const ofNamespaces = namespaceFiles(plan, namespaceIndent ?? "");
  if (plan.policyScopes.length === 0) return { files: [policyFile, ...ofNamespaces], unusable: [] };
  const { scopes, unusable } = attachmentScopes(
    plan.policyScopes,
    namesMirrorsOfScopes ? entries : undefined,
  );
  const sigstore = textFile(nodePaths.sigstoreRegistries, encodeSigstoreRegistries(scopes));
  return { files: [policyFile, sigstore, ...ofNamespaces], unusable };
}
