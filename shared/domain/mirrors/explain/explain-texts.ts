import { hash } from "node:crypto";
import { fieldsOf, listOf, textOf } from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";
import type { Candidate } from "../pull/pull-sources.ts";
import type { AppliedPolicy } from "./explain-image.ts";
import type { Origin } from "./explain-source.ts";

/** Texts for the pulls that a mirror serves. */
export const pullsText = { digest: "pulls by digest", tag: "pulls by tag" } as const;

/** Returns an object and its field as a text: `ImageDigestMirrorSet/acme spec.imageDigestMirrors[0]`. */
export function originText({ kind, name, path }: Origin): string {
  return `${kind}/${name} ${path}`;
}

/** Returns a text that says why a node tries or skips a location. */
export function candidateText({ reason, blockedBy, isSource, insecure }: Candidate): string {
  switch (reason) {
    case "digest-only":
      return "this mirror serves pulls by digest only";
    case "tag-only":
      return "this mirror serves pulls by tag only";
    case "blocked":
      return sentence`it is in ${blockedBy}, which is blocked`;
    case "down":
      return "assumed to be down (--without)";
    case "not-a-reference":
      return "not an image reference, so the runtime gives up before it tries any location";
    case "pull-fails":
      return "the runtime gives up before it tries any location";
    case null:
      return [isSource ? "the source itself" : "mirror", ...(insecure ? ["TLS is not required"] : [])].join(
        ", ",
      );
  }
}

function signerText(requirement: unknown): string {
  const { type, keyPath, keyPaths, keyData, keyDatas, fulcio, pki } = fieldsOf(requirement);
  const { subjectEmail, subjectHostname } = fieldsOf(pki);
  const files = [textOf(keyPath), ...listOf(keyPaths).map(textOf)].flatMap((path) => path ?? []);
  const keys = [textOf(keyData), ...listOf(keyDatas).map(textOf)]
    .flatMap((data) => data ?? [])
    .map((data) => hash("sha256", Buffer.from(data, "base64")).slice(0, 12));
  if (files.length > 0) return sentence`the key in ${files.join(" or ")}`;
  if (keys.length > 0) return sentence`the key with the SHA-256 digest ${keys.join(" or ")}…`;
  if (fulcio !== undefined)
    return sentence`${fieldsOf(fulcio).subjectEmail}, certified by ${fieldsOf(fulcio).oidcIssuer}`;
  return pki === undefined ? sentence`${type}` : sentence`${subjectEmail ?? subjectHostname}`;
}

/** Returns a text that says what a signature policy requires of an image, and which file of the node has the policy. */
export function policyText(policy: AppliedPolicy): string {
  const { file, machineConfig, section, scope, requirements, verdict } = policy;
  const writer = machineConfig === null ? "" : sentence`, which MachineConfig ${machineConfig} writes`;
  const where = section === "default" ? "its default" : sentence`its scope ${JSON.stringify(scope)}`;
  const what = {
    accept: "accepted without a signature",
    // The policy is evaluated after the image is found.
    reject: "rejected once it is found",
    signature: sentence`accepted with a signature of ${requirements.map(signerText).join(" and of ")}`,
  };
  return sentence`${what[verdict]}, by ${where} in ${file}${writer}`;
}

/** The text that explains an image name without a registry. */
export const shortNameText =
  "A short name: these are tried in turn until one has the image. Aliases of a node's operating system are not known here, and would come first.";
