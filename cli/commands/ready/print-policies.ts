import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { isKind, isOfAnyVersion, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { clusterReleases } from "#shared/domain/openshift/releases/cluster-releases.ts";
import { operatorForm } from "#shared/domain/openshift/releases/machine-config-operator.ts";
import { payloadKeys } from "#shared/domain/openshift/releases/payload-signature-policy.ts";
import { proposePolicies, type SignedImage, type SigningKey } from "#shared/domain/ready/propose-policies.ts";
import { readPublicKey } from "#shared/domain/text/public-key.ts";
import { print, printMessage, safe, verbatim } from "../../io/safe-text.ts";
import { UsageError } from "../../program/exit-codes.ts";

async function readKey(path: string): Promise<SigningKey> {
  try {
    const key = createPublicKey(await readFile(path));
    const pem = String(key.export({ type: "spki", format: "pem" }));
    if (!readPublicKey(pem)) throw new Error("nodes cannot use a key of this kind");
    const keyData = Buffer.from(pem).toString("base64");
    const words = basename(path)
      .replace(/\.\w+$/, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g);
    return { name: words?.join("-") ?? "key", keyData };
  } catch (error) {
    throw new UsageError(`--key ${path} is not a file with a public key in PEM: ${(error as Error).message}`);
  }
}

/** Returns the keys in these files and the keys of OpenShift's releases. Throws `UsageError` for an invalid file. */
export async function signingKeys(files: readonly string[] = []): Promise<readonly SigningKey[]> {
  const keys = [...(await Promise.all(files.map(readKey))), ...payloadKeys];
  const names = new Set(keys.map(({ name }) => name));
  if (names.size < keys.length)
    throw new UsageError("--key needs files with different names, other than openshift and openshift-4-17.");
  return keys;
}

/** Prints proposed policies on standard output. Prints on standard error which repositories get no policy, and why. */
export function printPolicies(
  images: readonly SignedImage[],
  objects: readonly KubernetesObject[],
  keys: readonly SigningKey[],
): void {
  const version = objects.find((object) => isKind(kinds.ClusterVersion, object));
  const { policyVersion } = operatorForm(clusterReleases(version).current);
  const present = objects.filter((object) => isOfAnyVersion(kinds.ClusterImagePolicy, object));
  const { policies, others } = proposePolicies(images, keys, {
    apiVersion: policyVersion,
    present: present.map(({ metadata }) => metadata.name),
  });
  for (const { repository, reason } of others) printMessage(safe`no policy for ${repository}: ${reason}`);
  print(verbatim(policies.map(writeManifest).join("---\n")));
}
