import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { tryParseImageReference } from "#shared/domain/images/image-reference.ts";
import { verifySignatures } from "#shared/domain/ready/verify-signatures.ts";
import { finished } from "../../infra/run-program.ts";
import { builtPolicyCheck } from "../images/support/scenarios/policy-check.ts";
import {
  makeSigner,
  type Signer,
  signatureLayers,
  signatureTag,
} from "../support/servers/cosign-signatures.ts";
import { authority, keylessSigner, subject } from "../support/servers/keyless-signer.ts";
import {
  type ScriptedImage,
  scriptedImage,
  scriptedRegistry,
  scriptedSignatures,
} from "../support/servers/scripted-registry.ts";
import { certificate as otherAuthority } from "../support/servers/server-certificate.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";

/*
 * The container runtime's own library reads the same registry, signatures and policy.json: what hubrelay calls valid is
 * accepted, and everything else refused. The policies are those that machine-config-operator writes for keys.
 */

let policyCheck: string;
beforeAll(async () => {
  policyCheck = await builtPolicyCheck();
});

const ours = makeSigner(generateKeyPairSync("rsa", { modulusLength: 2048 }));
const others = [
  makeSigner(),
  makeSigner(generateKeyPairSync("ed25519")),
  makeSigner(generateKeyPairSync("ec", { namedCurve: "secp256k1" })),
];
/** Mostly the first value, since everything has to fit for a signature to be valid. */
const mostly = <Value>(first: Value, others: readonly Value[]) =>
  fc.oneof(
    { weight: 10, arbitrary: fc.constant(first) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
const [log, otherLog] = [makeSigner(), makeSigner()];
const keyless = [keylessSigner, { ...keylessSigner, chain: authority }, { ...keylessSigner, ...others[0] }];
const anySigner = fc.oneof(
  { weight: 3, arbitrary: mostly<Signer>(ours, [...others, ...keyless]) },
  { weight: 2, arbitrary: mostly<Signer>(keylessSigner, [...others, ...keyless]) },
);
const anyLog = mostly<typeof log | undefined>(log, [otherLog, undefined]);
const repository = "a.io/ns/app";

const names = [
  ...["", ":v1", ":v2", `@sha256:${"0".repeat(64)}`].map((version) => repository + version),
  ...[
    "a.io/ns/other:v1",
    "b.io/build/app",
    "b.io/build/app:v1",
    "b.io/build/ns/app:v1",
    "ns/app:v1",
    "app",
    "",
  ],
];
const prefixes = fc.constantFrom("a.io", "a.io/ns", repository, "b.io/build", "b.io/build/app");
const identity = fc.oneof(
  fc.constantFrom({ type: "matchRepoDigestOrExact" }, { type: "matchRepository" }),
  prefixes.map((dockerRepository) => ({ type: "exactRepository", dockerRepository })),
  fc.record({ type: fc.constant("remapIdentity"), prefix: prefixes, signedPrefix: prefixes }),
);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const byKey = fc
  .record({ signer: mostly(ours, others), signedIdentity: identity, logKey: anyLog })
  .map(({ signer, signedIdentity, logKey }) => ({
    type: "sigstoreSigned",
    keyData: base64(signer.publicKey),
    ...(logKey ? { rekorPublicKeyData: base64(logKey.publicKey) } : {}),
    signedIdentity,
  }));
const bySigner = fc
  .record({
    caData: mostly(authority, [otherAuthority, otherAuthority + authority]),
    oidcIssuer: mostly(subject.oidcIssuer, ["https://issuer"]),
    subjectEmail: mostly(subject.signedEmail, ["other@lab.example"]),
    signedIdentity: identity,
  })
  .map(({ signedIdentity, caData, ...named }) => ({
    type: "sigstoreSigned",
    fulcio: { ...named, caData: base64(caData) },
    rekorPublicKeyData: base64(log.publicKey),
    signedIdentity,
  }));
const requirement = fc.oneof(byKey, bySigner);

const payloads: readonly ((statement: object) => string)[] = [
  (statement) =>
    JSON.stringify({ ...statement, optional: { creator: "cosign", timestamp: 1700000000, more: [1] } }),
  (statement) => JSON.stringify({ ...statement, optional: { timestamp: 1.5 } }),
  (statement) => JSON.stringify({ ...statement, optional: { creator: 1 } }),
  (statement) => JSON.stringify({ ...statement, optional: [] }),
  (statement) => JSON.stringify({ ...statement, more: 1 }),
  (statement) => JSON.stringify(statement).replace("cosign container image signature", "other"),
  (statement) => JSON.stringify(statement).replace('"type":', '"type":"x","type":'),
  () => "{}",
  () => "no JSON",
];
const signature = fc.record({
  signer: fc
    .tuple(anySigner, anyLog)
    .map(([signer, logKey]) => (logKey ? { ...signer, logKey: logKey.privateKey } : signer)),
  name: mostly(`${repository}:v1`, names),
  isOfOther: mostly(false, [true]),
  payloadOf: mostly<(statement: object) => string>(JSON.stringify, payloads),
});

test("When keys, names, texts and identities are random, a signature should be valid exactly if the runtime's library accepts the image", async () => {
  const image = await scriptedImage();
  const held = new Map<string, ScriptedImage>([["ns/app:v1", image]]);
  const { host } = await scriptedRegistry(held, ({ path }) =>
    path === "/v2/" ? (_, response) => response.writeHead(200).end("{}") : undefined,
  );
  const home = await temporaryFolder();
  const settings = join(home, ".config/containers");
  await mkdir(join(settings, "registries.d"), { recursive: true });
  await writeFile(
    join(settings, "registries.d/a.yaml"),
    "default-docker: {use-sigstore-attachments: true}\n",
  );
  await writeFile(
    join(settings, "registries.conf"),
    `[[registry]]\nprefix = "a.io"\nlocation = "${host}"\ninsecure = true\n`,
  );
  const policyFile = join(home, "policy.json");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CONTAINERS_REGISTRIES_CONF: join(settings, "registries.conf"),
  };
  const seen = { keyless: 0, valid: 0, invalid: 0, absent: 0, unread: 0, unreachable: 0, unchecked: 0 };

  const agrees = fc.asyncProperty(
    fc.oneof(fc.tuple(requirement), fc.tuple(requirement, requirement)),
    fc.array(signature, { maxLength: 2 }),
    fc.boolean(),
    async (requirements, made, byDigest) => {
      const layers = made.flatMap(({ signer, name, isOfOther, payloadOf }) =>
        signatureLayers(isOfOther ? `sha256:${"1".repeat(64)}` : image.digest, name, [signer], payloadOf),
      );
      const tag = `ns/app:${signatureTag(image.digest)}`;
      if (layers.length > 0) held.set(tag, scriptedSignatures(layers));
      else held.delete(tag);
      const transports = { docker: { [repository]: requirements } };
      await writeFile(policyFile, JSON.stringify({ default: [{ type: "reject" }], transports }));
      const pulled = byDigest ? `${repository}@${image.digest}` : `${repository}:v1`;
      const { code, stderr } = await finished(policyCheck, [pulled, policyFile], { cwd: home, env });

      const signatures = layers.map(({ content, annotations }) => ({
        payload: content.toString(),
        annotations,
      }));
      const named = tryParseImageReference(pulled);
      if (!named) throw new Error(`${pulled} is not a reference`);
      const verdict = verifySignatures(signatures, requirements, { image: named, digest: image.digest });
      expect(verdict.state === "valid", `${pulled} ${JSON.stringify(verdict)}\n${stderr}`).toBe(code === 0);
      seen[verdict.state] += 1;
      if (verdict.state === "valid" && requirements.some((one) => "fulcio" in one)) seen.keyless += 1;
    },
  );
  await fc.assert(agrees, { numRuns: 400 });
  expect(seen.valid).toBeGreaterThan(10);
  expect(seen.keyless).toBeGreaterThan(2);
  expect(seen.invalid).toBeGreaterThan(50);
  expect(seen.unchecked).toBe(0);
});
