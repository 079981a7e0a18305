import { isDigest, withoutVersion } from "../../domain/images/image-reference.ts";
import { hostOf } from "../../domain/images/scope.ts";
import type { LocationResponse } from "../../domain/ready/judge.ts";
import { type ImageLocation, isOnNodes, type SigningRules } from "../../domain/ready/locations.ts";
import { type SignatureVerdict, verifySignatures } from "../../domain/ready/verify-signatures.ts";
import { sentence } from "../../domain/text/redact.ts";
import {
  type RegistryAccess,
  type RegistryContents,
  RegistryError,
  type RegistryManifest,
} from "../../ports/registry.ts";
import { messageWithoutReference } from "../mirror-fallback.ts";

export type Part = Readonly<{ digest: string; size: number }>;
/** What a node pulls of an image from one location. `lacking` describes the missing parts. */
type Parts = Readonly<{
  manifests: readonly Part[];
  blobs: readonly Part[];
  layers: readonly Part[];
  lacking: readonly string[];
}>;
/** The response of a location about an image. `parts` is present if the location has the image. */
export type Located = Readonly<{ location: ImageLocation; response: LocationResponse; parts?: Parts }>;

/** The registries, and the credentials and architectures of the nodes. */
export type LocationRequests = Readonly<{
  contents: RegistryContents;
  access: RegistryAccess;
  /** The architectures of the nodes. A list of manifests must have an image for each of them. */
  architectures: readonly string[];
}>;

/** Returns the reference `repository@digest`, in the repository of `reference`. */
export function atDigest(reference: string, digest: string): string {
  return `${withoutVersion(reference)}@${digest}`;
}

/** Returns the access for one location: only the location's `insecure` decides whether its certificate is verified. */
export function accessAt(
  { reference, insecure }: Pick<ImageLocation, "reference" | "insecure">,
  access: RegistryAccess,
): RegistryAccess {
  const { insecureHosts: _, ...verified } = access;
  return insecure ? { ...verified, insecureHosts: [hostOf(reference)] } : verified;
}

/** Returns the response of a location whose request failed. Rethrows an error that the location did not cause. */
export function failureOf(error: unknown, reference: string): LocationResponse {
  if (!(error instanceof RegistryError) || ["InvalidPullSecret", "Aborted"].includes(error.code)) throw error;
  const detail = messageWithoutReference(error, reference);
  switch (error.code) {
    case "Unauthorized":
      return { result: "unauthorized", detail };
    case "Untrusted":
      return { result: "untrusted", detail };
    // After an invalid response a node tries no other location, so this location counts as found.
    case "InvalidResponse":
      return {
        result: "found",
        bytes: 0,
        lacking: [sentence`a valid manifest (${detail})`],
        signatures: undefined,
      };
    default:
      return { result: "unreachable", detail };
  }
}

/** Returns the total size of parts in bytes. A digest that occurs twice is counted once. */
export function sizeOf(parts: readonly Part[]): number {
  return new Map(parts.map(({ digest, size }) => [digest, size]))
    .values()
    .reduce((sum, size) => sum + size, 0);
}

async function partsOf(
  location: ImageLocation,
  named: RegistryManifest,
  { contents, access, architectures }: LocationRequests,
): Promise<Parts> {
  const manifests: Part[] = [named];
  const blobs: Part[] = [];
  const layers: Part[] = [];
  const lacking: string[] = [];
  const take = (manifest: RegistryManifest) => {
    if (manifest.kind === "list") lacking.push("an image: a list of manifests names another list");
    else {
      blobs.push(manifest.config, ...manifest.layers);
      layers.push(...manifest.layers);
    }
  };
  if (named.kind === "image") take(named);
  for (const architecture of named.kind === "list" ? architectures : []) {
    const platforms = named.kind === "list" ? named.platforms : [];
    const fitting = platforms.filter((one) => one.os === "linux" && one.architecture === architecture);
    if (fitting.length === 0) lacking.push(sentence`an image for ${architecture}`);
    for (const { digest } of fitting) {
      const reference = atDigest(location.reference, digest);
      const own = isDigest(digest)
        ? await contents.manifest(reference, accessAt(location, access))
        : undefined;
      if (own) {
        manifests.push(own);
        take(own);
      } else lacking.push(sentence`the manifest for ${architecture}`);
    }
  }
  return { manifests, blobs, layers, lacking };
}

/** Returns the digests of the manifests whose signatures nodes verify. A list of manifests is not among them. */
export const verifiedDigests = ({ manifests }: Parts): readonly string[] =>
  (manifests.length > 1 ? manifests.slice(1) : manifests).map(({ digest }) => digest);

async function verdictOf(
  location: ImageLocation,
  { image, requirements }: SigningRules,
  parts: Parts,
  { contents, access }: LocationRequests,
): Promise<SignatureVerdict> {
  let verdict: SignatureVerdict = { state: "valid" };
  for (const digest of verifiedDigests(parts)) {
    const own = await contents.signatures(location.reference, digest, accessAt(location, access)).then(
      (signatures) => verifySignatures(signatures, requirements, { image, digest }),
      (error: unknown): SignatureVerdict => {
        // Nodes have chosen the location by its manifest, and look for signatures in no other location.
        if (!(error instanceof RegistryError) || error.code === "Aborted") throw error;
        const state = error.isRetryable ? "unreachable" : "unread";
        return { state, reason: messageWithoutReference(error, location.reference) };
      },
    );
    if (own.state === "unchecked") verdict = own;
    else if (own.state !== "valid") return own;
  }
  return verdict;
}

const onNodes = "the registry of the InternalReleaseImage is on the nodes, and only they can ask it";
const otherLogins = (detail: string) =>
  sentence`${detail}; a Secret in the pod's namespace may contain the login (CRIOCredentialProviderConfig)`;

/** Reads an image's manifests in one location. Verifies signatures if a policy requires them. */
export async function readLocation(location: ImageLocation, requests: LocationRequests): Promise<Located> {
  const { reference, signing } = location;
  if (isOnNodes(reference)) return { location, response: { result: "unknown", detail: onNodes } };
  try {
    const named = await requests.contents.manifest(reference, accessAt(location, requests.access));
    if (!named) return { location, response: { result: "missing", detail: "the registry does not have it" } };
    const parts = await partsOf(location, named, requests);
    const signatures = signing && (await verdictOf(location, signing, parts, requests));
    const bytes = sizeOf([...parts.manifests, ...parts.blobs]);
    return { location, parts, response: { result: "found", bytes, lacking: parts.lacking, signatures } };
  } catch (error) {
    const response = failureOf(error, reference);
    const isOpen = response.result === "unauthorized" && location.mayHaveOtherLogins === true;
    return {
      location,
      response: isOpen ? { ...response, result: "unknown", detail: otherLogins(response.detail) } : response,
    };
  }
}
