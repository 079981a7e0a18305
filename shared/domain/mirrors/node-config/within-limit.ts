import { sentence } from "../../credentials/redact.ts";
import { indexScopes } from "../../images/scope.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { byCodeUnit } from "../../json/values.ts";
import { type NodeFile, namespacePolicyPath } from "../../machine-config/node-file.ts";
import type { ImagePolicy } from "../policies/image-policy.ts";
import { reject } from "../policies/requirement.ts";
import { fitsMachineConfig, maxMachineConfigBytes } from "./machine-config-size.ts";
import type { ReadInput } from "./read-input.ts";

const namespaceOf = ({ object }: ImagePolicy): string => object.metadata.namespace ?? "";

function leftOut({ object, scopes }: ImagePolicy, namespace: string, bytes: number): Issue {
  return fieldIssue(object, "spec.scopes", scopes.length, {
    code: "NamespacePoliciesTooLarge",
    message: sentence`the ImagePolicies of the namespace ${namespace} are left out, and images in their scopes are rejected in it: their file takes ${bytes} bytes, with which the MachineConfig would be larger than ${maxMachineConfigBytes} bytes`,
    remedy:
      "List fewer scopes: one scope covers everything below it. Policies that several namespaces need can be ClusterImagePolicies.",
  });
}

/** Returns policies of one namespace without their requirements: what they cover is rejected. */
function rejecting(policies: readonly ImagePolicy[]): readonly ImagePolicy[] {
  const index = indexScopes(policies.flatMap(({ scopes }) => scopes.map(({ scope }) => scope)));
  const seen = new Set<string>();
  return policies.map((policy) => ({
    ...policy,
    requirement: reject,
    scopes: policy.scopes.filter(({ scope }) => {
      const isNew = !seen.has(scope);
      seen.add(scope);
      return isNew && index.enclosing(scope).length === 0;
    }),
  }));
}

/** Returns the input with policies of these namespaces that only reject, each with an error. */
function without(read: ReadInput, bytesOf: ReadonlyMap<string, number>): ReadInput {
  const { policies, issues } = read;
  const byNamespace = Map.groupBy(policies.namespaced, namespaceOf);
  const namespaced = [...byNamespace].flatMap(([namespace, own]) =>
    bytesOf.has(namespace) ? rejecting(own) : own,
  );
  const errors = policies.namespaced.flatMap((policy) => {
    const bytes = bytesOf.get(namespaceOf(policy));
    return bytes === undefined ? [] : [leftOut(policy, namespaceOf(policy), bytes)];
  });
  return { ...read, policies: { ...policies, namespaced }, issues: [...issues, ...errors] };
}

/** The namespaces with a policy file and its bytes, the largest first. */
function namespacesBySize(
  read: ReadInput,
  files: readonly NodeFile[],
): readonly (readonly [string, number])[] {
  const contents = new Map(files.map((file) => [file.path, file.contents]));
  return [...new Set(read.policies.namespaced.map(namespaceOf))]
    .flatMap((namespace): (readonly [string, number])[] => {
      const text = contents.get(namespacePolicyPath(namespace));
      return text === undefined ? [] : [[namespace, Buffer.byteLength(text)]];
    })
    .sort(([a, bytesOfA], [b, bytesOfB]) => bytesOfB - bytesOfA || byCodeUnit(a, b));
}

/**
 * Renders the input. If the MachineConfig would be too large, the policies of some namespaces are left out: the fewest
 * with which it fits, the largest first, so that one namespace does not keep every other change from all nodes. If it
 * does not fit without any of them, they are not the cause, and nothing is left out.
 */
export function renderWithinLimit<Rendered extends Readonly<{ files: readonly NodeFile[] }>>(
  read: ReadInput,
  render: (read: ReadInput) => Rendered,
): Rendered {
  const whole = render(read);
  if (read.policies.namespaced.length === 0 || fitsMachineConfig(whole.files)) return whole;
  const namespaces = namespacesBySize(read, whole.files);
  const renderWithout = (count: number) => render(without(read, new Map(namespaces.slice(0, count))));
  let tooFew = 0;
  let enough = namespaces.length;
  let fitting = renderWithout(enough);
  if (!fitsMachineConfig(fitting.files)) return whole;
  while (enough - tooFew > 1) {
    const count = Math.floor((tooFew + enough) / 2);
    const tried = renderWithout(count);
    if (fitsMachineConfig(tried.files)) [enough, fitting] = [count, tried];
    else tooFew = count;
  }
  return fitting;
}
