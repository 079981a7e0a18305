import { formatImageReference, type ImageReference } from "../images/image-reference.ts";
import { isNested } from "../images/scope.ts";
import { byCodeUnit, withoutRepeats } from "../kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { isIdentityPrefix, isPolicyScope } from "../mirrors/policies/policy-field.ts";
import { maxScopes } from "../mirrors/policies/policy-spec.ts";
import { sentence } from "../text/redact.ts";
import {
  type ImageSignature,
  repositoriesSignedBy,
  signersOf,
  verifySignatures,
} from "./verify-signatures.ts";

/** An image by its full name. The keys of `manifests` are the digests of the manifests that nodes verify. */
export type SignedImage = Readonly<{
  image: ImageReference;
  manifests: ReadonlyMap<string, readonly ImageSignature[]>;
  /** Why the signatures could not be read. */
  problem?: string;
}>;

/** A public key to try. `name` becomes a part of the policies' names; `keyData` is base64 of PEM. */
export type SigningKey = Readonly<{ name: string; keyData: string }>;

/** An authority that certifies signers, and the key of the transparency log that records signatures; both base64 of PEM. */
export type SigningAuthority = Readonly<{ fulcioCAData: string; rekorKeyData: string }>;

/** What a policy may trust; `keys` are tried first. */
export type Trusted = Readonly<{ keys: readonly SigningKey[]; authority?: SigningAuthority }>;

/** A root of trust as a policy has it, and as the requirement in policy.json. */
type Root = Readonly<{ name: string; field: object; requirement: object }>;

const rootOfKey = ({ name, keyData }: SigningKey): Root => ({
  name,
  field: { policyType: "PublicKey", publicKey: { keyData } },
  requirement: { type: "sigstoreSigned", keyData },
});

/** Returns a root for each signer whom the authority certified for one of the signatures. */
function rootsOfSigners(
  { fulcioCAData, rekorKeyData }: SigningAuthority,
  signatures: readonly ImageSignature[],
): readonly Root[] {
  const roots = signersOf(signatures, fulcioCAData, rekorKeyData).map(({ email, oidcIssuer }) => ({
    name: (email.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-"),
    field: {
      policyType: "FulcioCAWithRekor",
      fulcioCAWithRekor: { fulcioCAData, rekorKeyData, fulcioSubject: { oidcIssuer, signedEmail: email } },
    },
    requirement: {
      type: "sigstoreSigned",
      fulcio: { caData: fulcioCAData, oidcIssuer, subjectEmail: email },
      rekorPublicKeyData: rekorKeyData,
    },
  }));
  return withoutRepeats(roots);
}

/** ClusterImagePolicies that accept all given images of their scopes, and the reasons why other repositories have none. */
export type Proposal = Readonly<{
  policies: readonly KubernetesObject[];
  others: readonly Readonly<{ repository: string; reason: string }>[];
}>;

/** `field` is for a ClusterImagePolicy (undefined for the default identity), `written` is for policy.json. */
type Identity = Readonly<{ field: object | undefined; written: object }>;

/** `signed` is the repository in whose name the images were signed. Undefined if the API accepts no such identity. */
function remappedIdentity(repository: string, signed: string): Identity | undefined {
  const [own, theirs] = [repository.split("/"), signed.split("/")];
  while (own.length > 1 && theirs.length > 1 && own.at(-1) === theirs.at(-1)) {
    own.pop();
    theirs.pop();
  }
  const [prefix, signedPrefix] = [own.join("/"), theirs.join("/")];
  if (prefix === repository || !isIdentityPrefix(prefix) || !isIdentityPrefix(signedPrefix)) return undefined;
  return {
    field: { matchPolicy: "RemapIdentity", remapIdentity: { prefix, signedPrefix } },
    written: { type: "remapIdentity", prefix, signedPrefix },
  };
}

/** Returns identities, the strictest first. `signedAs` are the repositories in whose names the images were signed. */
function identitiesFor(repository: string, signedAs: readonly string[]): readonly Identity[] {
  const others = signedAs.filter((one) => one !== repository);
  return [
    { field: undefined, written: { type: "matchRepoDigestOrExact" } },
    { field: { matchPolicy: "MatchRepository" }, written: { type: "matchRepository" } },
    ...others.flatMap((signed) => remappedIdentity(repository, signed) ?? []),
    ...others.filter(isIdentityPrefix).map((signed) => ({
      field: { matchPolicy: "ExactRepository", exactRepository: { repository: signed } },
      written: { type: "exactRepository", dockerRepository: signed },
    })),
  ];
}

function isAccepted({ image, manifests, problem }: SignedImage, root: Root, identity: Identity) {
  if (problem !== undefined) return false;
  const requirement = { ...root.requirement, signedIdentity: identity.written };
  return [...manifests].every(
    ([digest, signatures]) =>
      verifySignatures(signatures, [requirement], { image, digest }).state === "valid",
  );
}

function reasonFor(repository: string, images: readonly SignedImage[]): string {
  if (!isPolicyScope(repository)) return "the API accepts no scope with this host";
  const unread = images.find(({ problem }) => problem !== undefined)?.problem;
  if (unread !== undefined) return unread;
  const unsigned = images.find(({ manifests }) => [...manifests.values()].some(({ length }) => length === 0));
  return unsigned
    ? sentence`${formatImageReference(unsigned.image)} has no signature`
    : "no known root, with one identity for all its images, verifies the signatures";
}

type Choice = Readonly<{ repository: string; root: Root; identity: Identity }>;

function choiceFor(
  repository: string,
  images: readonly SignedImage[],
  { keys, authority }: Trusted,
): Choice | undefined {
  if (!isPolicyScope(repository)) return undefined;
  const all = images.flatMap(({ manifests }) => [...manifests.values()].flat());
  for (const root of [...keys.map(rootOfKey), ...(authority ? rootsOfSigners(authority, all) : [])]) {
    const signedAs = repositoriesSignedBy(root.requirement, all);
    for (const identity of identitiesFor(repository, signedAs))
      if (images.every((image) => isAccepted(image, root, identity))) return { repository, root, identity };
  }
  return undefined;
}

function policy(name: string, scopes: readonly string[], { root, identity }: Choice, apiVersion: string) {
  const { field } = identity;
  return {
    apiVersion,
    kind: kinds.ClusterImagePolicy.kind,
    metadata: { name },
    spec: {
      scopes,
      policy: {
        rootOfTrust: root.field,
        ...(field ? { signedIdentity: field } : {}),
      },
    },
  };
}

function newName(name: string, taken: Set<string>): string {
  let chosen = name;
  for (let number = 2; taken.has(chosen); number++) chosen = `${name}-${number}`;
  taken.add(chosen);
  return chosen;
}

/**
 * Returns policies for these images' repositories: for each, the first root that verifies all its images, with the
 * strictest identity that matches the names by which these images are pulled. `present` are the names of policies that exist.
 */
export function proposePolicies(
  images: readonly SignedImage[],
  trusted: Trusted,
  { apiVersion, present = [] }: Readonly<{ apiVersion: string; present?: readonly string[] }>,
): Proposal {
  const others: Proposal["others"][number][] = [];
  const byRepository = [...Map.groupBy(images, ({ image }) => image.repository)];
  const chosen = byRepository
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([repository, own]) => {
      const choice = choiceFor(repository, own, trusted);
      if (!choice) others.push({ repository, reason: reasonFor(repository, own) });
      return choice ?? [];
    });
  // A policy also applies to the repositories below its scope. It is not proposed if one of these can have no policy.
  const open = [...others];
  const choices = chosen.filter(({ repository }) => {
    const below = open.find((one) => isNested(one.repository, repository));
    if (below)
      others.push({ repository, reason: sentence`its policy would apply to ${below.repository} as well` });
    return !below;
  });
  const alike = Map.groupBy(choices, ({ root, identity }) => JSON.stringify([root.field, identity.written]));
  const taken = new Set(present);
  const policies: KubernetesObject[] = [];
  for (const same of alike.values())
    for (let from = 0; from < same.length; from += maxScopes) {
      const [first, ...more] = same.slice(from, from + maxScopes);
      if (!first) continue;
      const name = newName(`signed-by-${first.root.name}`, taken);
      const scopes = [first, ...more].map(({ repository }) => repository);
      policies.push(policy(name, scopes, first, apiVersion));
    }
  return { policies, others };
}
