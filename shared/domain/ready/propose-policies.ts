import { formatImageReference, type ImageReference } from "../images/image-reference.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { type ImageSignature, signedRepository, verifySignatures } from "./verify-signatures.ts";

/** The full name by which nodes pull an image, and the signatures of every manifest that they verify, by its digest. */
export type SignedImage = Readonly<{
  image: ImageReference;
  manifests: ReadonlyMap<string, readonly ImageSignature[]>;
  /** Why the signatures could not be read. */
  problem?: string;
}>;

/** A public key to try. `name` becomes a part of the policies' names; `keyData` is base64 of PEM. */
export type SigningKey = Readonly<{ name: string; keyData: string }>;

/** ClusterImagePolicies that accept all given images of their scopes, and the reasons why other repositories have none. */
export type Proposal = Readonly<{
  policies: readonly KubernetesObject[];
  others: readonly Readonly<{ repository: string; reason: string }>[];
}>;

/** An identity as the field `signedIdentity` of a policy, undefined for the default, and as policy.json has it. */
type Identity = Readonly<{ field: object | undefined; written: object }>;

/** Maximum scopes of a policy (openshift/api, config/v1, types_image_policy.go). */
const maxScopes = 256;

/** Returns the identity that replaces the part in which two repositories differ; undefined if their ends are unequal. */
function remappedIdentity(repository: string, signed: string): Identity | undefined {
  const [own, theirs] = [repository.split("/"), signed.split("/")];
  while (own.length > 1 && theirs.length > 1 && own.at(-1) === theirs.at(-1)) {
    own.pop();
    theirs.pop();
  }
  const [prefix, signedPrefix] = [own.join("/"), theirs.join("/")];
  if (prefix === repository) return undefined;
  return {
    field: { matchPolicy: "RemapIdentity", remapIdentity: { prefix, signedPrefix } },
    written: { type: "remapIdentity", prefix, signedPrefix },
  };
}

/** Returns the identities to try for a repository whose images were signed under these names, the strictest first. */
function identitiesFor(repository: string, signedAs: readonly string[]): readonly Identity[] {
  const others = signedAs.filter((one) => one !== repository);
  return [
    { field: undefined, written: { type: "matchRepoDigestOrExact" } },
    { field: { matchPolicy: "MatchRepository" }, written: { type: "matchRepository" } },
    ...others.flatMap((signed) => remappedIdentity(repository, signed) ?? []),
    ...others.map((signed) => ({
      field: { matchPolicy: "ExactRepository", exactRepository: { repository: signed } },
      written: { type: "exactRepository", dockerRepository: signed },
    })),
  ];
}

function isAccepted({ image, manifests, problem }: SignedImage, { keyData }: SigningKey, identity: Identity) {
  if (problem !== undefined) return false;
  const requirement = { type: "sigstoreSigned", keyData, signedIdentity: identity.written };
  return [...manifests].every(
    ([digest, signatures]) =>
      verifySignatures(signatures, [requirement], { image, digest }).state === "valid",
  );
}

/** Returns the reason why no key and identity fit all images of a repository. */
function reasonFor(images: readonly SignedImage[]): string {
  const unread = images.find(({ problem }) => problem !== undefined)?.problem;
  if (unread !== undefined) return unread;
  const unsigned = images.find(({ manifests }) => [...manifests.values()].some(({ length }) => length === 0));
  return unsigned
    ? sentence`${formatImageReference(unsigned.image)} has no signature`
    : "no known key, with one identity for all its images, verifies the signatures";
}

type Choice = Readonly<{ repository: string; key: SigningKey; identity: Identity }>;

function choiceFor(
  repository: string,
  images: readonly SignedImage[],
  keys: readonly SigningKey[],
): Choice | undefined {
  const all = images.flatMap(({ manifests }) => [...manifests.values()].flat());
  const signedAs = [...new Set(all.flatMap((one) => signedRepository(one) ?? []))].sort(byCodeUnit);
  for (const key of keys)
    for (const identity of identitiesFor(repository, signedAs))
      if (images.every((image) => isAccepted(image, key, identity))) return { repository, key, identity };
  return undefined;
}

function policy(name: string, scopes: readonly string[], { key, identity }: Choice, apiVersion: string) {
  const { field } = identity;
  return {
    apiVersion,
    kind: kinds.ClusterImagePolicy.kind,
    metadata: { name },
    spec: {
      scopes,
      policy: {
        rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: key.keyData } },
        ...(field ? { signedIdentity: field } : {}),
      },
    },
  };
}

/**
 * Returns policies for these images' repositories: for each, the first of `keys` that verifies all its images, with the
 * strictest identity that matches the names by which these images are pulled.
 */
export function proposePolicies(
  images: readonly SignedImage[],
  keys: readonly SigningKey[],
  apiVersion: string,
): Proposal {
  const others: Proposal["others"][number][] = [];
  const byRepository = [...Map.groupBy(images, ({ image }) => image.repository)];
  const choices = byRepository
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([repository, own]) => {
      const choice = choiceFor(repository, own, keys);
      if (!choice) others.push({ repository, reason: reasonFor(own) });
      return choice ?? [];
    });
  const policies = [...Map.groupBy(choices, ({ key }) => key.name)].flatMap(([name, ofKey]) => {
    const ofIdentities = [...Map.groupBy(ofKey, ({ identity }) => JSON.stringify(identity.written)).values()];
    const chunks = ofIdentities.flatMap((same) =>
      Array.from({ length: Math.ceil(same.length / maxScopes) }, (_, index) =>
        same.slice(index * maxScopes, (index + 1) * maxScopes),
      ),
    );
    return chunks.flatMap((chunk, index) => {
      const [first] = chunk;
      const scopes = chunk.map(({ repository }) => repository);
      const suffix = index === 0 ? "" : `-${index + 1}`;
      return first ? [policy(`signed-by-${name}${suffix}`, scopes, first, apiVersion)] : [];
    });
  });
  return { policies, others };
}
