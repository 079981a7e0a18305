import { formatImageReference, type ImageReference } from "../../images/image-reference.ts";
import { fieldsOf, listOf, ownValue, parseJson } from "../../kubernetes/json/values.ts";
import { policyProblem } from "./policy-format.ts";

/** The verdict of policy.json on one image. */
export type PolicyVerdict = Readonly<{
  /** The section that decides: `transports.docker` if one of its scopes contains the image, otherwise `default`. */
  section: "transports.docker" | "default";
  /** The scope below `transports.docker`. An empty scope is for all images. Null if `section` is `default`. */
  scope: string | null;
  /** The requirements as policy.json has them. The image must meet all of them. */
  requirements: readonly unknown[];
  /** `signature`: the image must carry a signature that meets the requirements. */
  verdict: "accept" | "reject" | "signature";
}>;

/**
 * Returns the scopes that can apply to a reference, the most precise first; wildcards for the host's domains are last.
 */
export function policyScopesOf(reference: ImageReference): readonly string[] {
  const { repository } = reference;
  const scopes = [formatImageReference(reference), repository];
  for (let end = repository.lastIndexOf("/"); end >= 0; end = repository.lastIndexOf("/", end - 1)) {
    scopes.push(repository.slice(0, end));
  }
  const host = repository.replace(/[:/].*/s, "");
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    scopes.push(`*${host.slice(dot)}`);
  }
  return scopes;
}

/** Returns whether an image with these requirements is accepted, is rejected, or needs a signature. */
export function verdictOf(requirements: readonly unknown[]): PolicyVerdict["verdict"] {
  const types = requirements.map((requirement) => fieldsOf(requirement).type);
  if (types.includes("reject")) return "reject";
  return types.every((type) => type === "insecureAcceptAnything") ? "accept" : "signature";
}

/** The requirements of a policy.json: the default, and the requirements for each scope of the transport `docker`. */
export type PolicyRules = Readonly<{
  default: readonly unknown[];
  docker: Readonly<Record<string, unknown>>;
}>;

/** Returns the rules of a policy.json, or the problem because of which the container runtime refuses the file. */
export function readPolicyRules(policyJson: string): PolicyRules | Readonly<{ problem: string }> {
  const problem = policyProblem(policyJson);
  if (problem !== undefined) return { problem };
  const policy = fieldsOf(parseJson(policyJson));
  return { default: listOf(policy.default), docker: fieldsOf(fieldsOf(policy.transports).docker) };
}

/**
 * Returns the verdict on a requested image name, which must not be the name at a mirror.
 * Behaviour: `requirementsForImageRef` of containers/image, for the transport `docker`.
 */
export function findPolicy(
  { default: fallback, docker }: PolicyRules,
  reference: ImageReference,
): PolicyVerdict {
  const scope = [...policyScopesOf(reference), ""].find((candidate) => Object.hasOwn(docker, candidate));
  const requirements = scope === undefined ? fallback : listOf(ownValue(docker, scope));
  const section = scope === undefined ? "default" : "transports.docker";
  return { section, scope: scope ?? null, requirements, verdict: verdictOf(requirements) };
}
