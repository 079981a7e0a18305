import { parsePullSecret } from "../images/pull-secret.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { byCodeUnit, fieldsOf, parseJson } from "../kubernetes/json/values.ts";
import { timestamp } from "../kubernetes/object.ts";
import { readableCertificates } from "../text/certificates.ts";
import { counted } from "../text/human-readable.ts";
import { printable, sentence } from "../text/redact.ts";

/** What nodes need for pulls and can expire: registries' certificates, bundles of authorities, and tokens. */
export const accessKinds = ["certificate", "authorities", "token"] as const;

/** The time (RFC 3339) at which a certificate, bundle or token expires. `name` is a registry, or `cluster`. */
export type AccessEnd = Readonly<{ what: (typeof accessKinds)[number]; name: string; ends: string }>;

/** The period in which a certificate, bundle or token is valid. */
export type Validity = Readonly<{ from: Date | undefined; to: Date }>;

type Access = Readonly<{
  pullSecret?: string;
  authorities?: string;
  authoritiesOf?: Readonly<Record<string, string>>;
}>;

const dayMs = 24 * 60 * 60_000;
/** hubrelay warns this many days before a certificate, bundle or token expires. */
export const soonDays = 14;
/** An item that is valid for fewer days is left out: a program is assumed to renew it. */
const renewedDays = 30;
const maxEnds = 20;
const clusterBundle = "cluster";

const isRenewed = ({ from, to }: Validity): boolean =>
  from !== undefined && to.getTime() - from.getTime() < renewedDays * dayMs;

/** Returns undefined if the token is no JSON web token (RFC 7519) with an end. The signature is not verified. */
function validityOfToken(token: string): Validity | undefined {
  const [, claims = "", signature] = token.split(".");
  if (signature === undefined) return undefined;
  const { iat, exp } = fieldsOf(parseJson(Buffer.from(claims, "base64url").toString("utf8")));
  if (typeof exp !== "number" || exp <= 0 || exp > 1e11) return undefined;
  return { from: typeof iat === "number" ? new Date(iat * 1000) : undefined, to: new Date(exp * 1000) };
}

function tokenEnds(pullSecret: string): readonly (readonly [name: string, Validity])[] {
  const secret = parsePullSecret(pullSecret);
  if ("problem" in secret) return [];
  return [...secret.credentials].flatMap(([name, { basic = "", identityToken = "", registryToken = "" }]) => {
    const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, "base64").toString("utf8")) ?? [];
    const validities = [password, identityToken, registryToken].flatMap((one) => validityOfToken(one) ?? []);
    return validities.map((validity) => [printable(name), validity] as const);
  });
}

/** Returns the validity of the certificate that expires last: during a rotation, a bundle also has the old one. */
function bundleEnd(bundle: string): readonly Validity[] {
  return readableCertificates(bundle)
    .map(({ validFrom, validTo }) => ({ from: new Date(validFrom), to: new Date(validTo) }))
    .sort((a, b) => a.to.getTime() - b.to.getTime())
    .slice(-1);
}

/** Returns when certificates, bundles and tokens expire, the soonest first. Short-lived items are left out. */
export function accessEnds(
  { pullSecret, authorities, authoritiesOf = {} }: Access,
  certificates: ReadonlyMap<string, Validity>,
): readonly AccessEnd[] {
  const found: readonly (readonly [AccessEnd["what"], string, Validity])[] = [
    ...[...certificates].map(([name, validity]) => ["certificate", name, validity] as const),
    ...bundleEnd(authorities ?? "").map((validity) => ["authorities", clusterBundle, validity] as const),
    ...Object.entries(authoritiesOf).flatMap(([name, bundle]) =>
      bundleEnd(bundle).map((validity) => ["authorities", name, validity] as const),
    ),
    ...tokenEnds(pullSecret ?? "").map(([name, validity]) => ["token", name, validity] as const),
  ];
  return soonest(
    found.flatMap(([what, name, validity]) =>
      isRenewed(validity) ? [] : [{ what, name, ends: timestamp(validity.to) }],
    ),
  );
}

const nameOf = ({ what, name }: AccessEnd): string => `${what} ${name}`;

/** Returns each certificate, bundle and token with its earliest end, the soonest first; at most 20. */
export function soonest(ends: readonly AccessEnd[]): readonly AccessEnd[] {
  const sorted = ends.toSorted(
    (a, b) => Date.parse(a.ends) - Date.parse(b.ends) || byCodeUnit(nameOf(a), nameOf(b)),
  );
  const ofEach = Map.groupBy(sorted, nameOf);
  return [...ofEach.values()].flatMap(([first]) => first ?? []).slice(0, maxEnds);
}

/** Returns the seconds until the certificate, bundle or token expires; negative afterwards. */
export const remainingSeconds = ({ ends }: AccessEnd, now: Date): number =>
  Math.floor((Date.parse(ends) - now.getTime()) / 1000);

const subjects: Readonly<Record<AccessEnd["what"], string>> = {
  certificate: "The certificate of registry",
  authorities: "The bundle of certificate authorities for registry",
  token: "The token for registry",
};
const remedies: Readonly<Record<AccessEnd["what"], string>> = {
  certificate: "Give the registry a new certificate.",
  authorities: "Add the next authority to the bundle, before registries use it.",
  token: "Write a new token to the pull secret.",
};

/** Returns a text such as `The token for registry quay.io ends in 3 days, at 2026-12-03T10:00:00Z`. */
export function endText(end: AccessEnd, now: Date): string {
  const { what, name, ends } = end;
  const days = Math.floor(remainingSeconds(end, now) / 86_400);
  const subject =
    what === "authorities" && name === clusterBundle
      ? "The bundle of certificate authorities that the cluster trusts"
      : sentence`${subjects[what]} ${name}`;
  const when = days < 0 ? "ended" : days === 0 ? "ends today" : sentence`ends in ${counted(days, "day")}`;
  return sentence`${subject} ${when}, at ${ends}`;
}

/** Returns a warning for each certificate, bundle or token that has expired or expires within two weeks. */
export function accessEndIssues(ends: readonly AccessEnd[], now: Date): readonly Issue[] {
  const soon = ends.filter((end) => remainingSeconds(end, now) < soonDays * 86_400);
  return soon.map((end) =>
    fieldWarning({ kind: "Registry", name: end.name }, "", end.ends, {
      code: "RegistryAccessEnds",
      message: sentence`${endText(end, now)}: nodes cannot pull from then on`,
      remedy: remedies[end.what],
    }),
  );
}
