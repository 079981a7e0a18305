import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { isKind, isOfAnyVersion, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { clusterReleases } from "#shared/domain/openshift/releases/cluster-releases.ts";
import { operatorForm } from "#shared/domain/openshift/releases/machine-config-operator.ts";
import { payloadKeys } from "#shared/domain/openshift/releases/payload-signature-policy.ts";
import {
  proposePolicies,
  type SignedImage,
  type SigningKey,
  type Trusted,
} from "#shared/domain/ready/propose-policies.ts";
import { readPublicKey } from "#shared/domain/text/public-key.ts";
import { print, printMessage, safe, verbatim } from "../../io/safe-text.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** Returns what `read` makes of a file, as base64. Throws `UsageError` for a file that is not `what` in PEM. */
async function readPem(option: string, path: string, what: string, read: (content: Buffer) => string) {
  try {
    return Buffer.from(read(await readFile(path))).toString("base64");
  } catch (error) {
    throw new UsageError(`${option} ${path} is not a file with ${what} in PEM: ${(error as Error).message}`);
  }
}

const readKeyData = (option: string, path: string): Promise<string> =>
  readPem(option, path, "a public key", (content) => {
    const pem = String(createPublicKey(content).export({ type: "spki", format: "pem" }));
    if (!readPublicKey(pem)) throw new Error("nodes cannot use a key of this kind");
    return pem;
  });

/** The name of the file, without its extension, names the key. */
async function readKey(path: string): Promise<SigningKey> {
  const words = basename(path)
    .replace(/\.\w+$/, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return { name: words?.join("-") ?? "key", keyData: await readKeyData("--key", path) };
}

const readCertificates = (option: string, path: string): Promise<string> =>
  readPem(option, path, "certificates", (content) => {
    const pem = content.toString();
    if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error("there is none");
    return pem;
  });

/** Files with what policies may trust. */
export type TrustOptions = Readonly<{
  /** Files with public keys. */
  key?: readonly string[];
  /** The certificates of an authority for keyless signatures, and the public key of the log that records these. */
  fulcioCa?: string;
  rekorKey?: string;
}>;

/**
 * Returns the keys and the authority in these files, and the keys of OpenShift's releases. Throws `UsageError` for a
 * file without its key or certificates, for only one file of an authority's two, and for two keys with the same name.
 */
export async function readTrusted({ key = [], fulcioCa, rekorKey }: TrustOptions): Promise<Trusted> {
  const keys = [...(await Promise.all(key.map(readKey))), ...payloadKeys];
  const names = new Set(keys.map(({ name }) => name));
  if (names.size < keys.length)
    throw new UsageError("--key needs files with different names, other than openshift and openshift-4-17.");
  if ((fulcioCa === undefined) !== (rekorKey === undefined))
    throw new UsageError("--fulcio-ca and --rekor-key are needed together.");
  if (fulcioCa === undefined || rekorKey === undefined) return { keys };
  const fulcioCAData = await readCertificates("--fulcio-ca", fulcioCa);
  return { keys, authority: { fulcioCAData, rekorKeyData: await readKeyData("--rekor-key", rekorKey) } };
}

/** Prints proposed policies on standard output. Prints on standard error which repositories get no policy, and why. */
export function printPolicies(
  images: readonly SignedImage[],
  objects: readonly KubernetesObject[],
  trusted: Trusted,
): void {
  const version = objects.find((object) => isKind(kinds.ClusterVersion, object));
  const { policyVersion } = operatorForm(clusterReleases(version).current);
  const present = objects.filter((object) => isOfAnyVersion(kinds.ClusterImagePolicy, object));
  const { policies, others } = proposePolicies(images, trusted, {
    apiVersion: policyVersion,
    present: present.map(({ metadata }) => metadata.name),
  });
  for (const { repository, reason } of others) printMessage(safe`no policy for ${repository}: ${reason}`);
  print(verbatim(policies.map(writeManifest).join("---\n")));
}
