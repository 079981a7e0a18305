import fc from "fast-check";
import { expect, test } from "vitest";
import { credentialForms, tracesOf } from "../../../test/support/messages/credential-forms.ts";
import { processorSeconds } from "../../../test/support/setup/processor-seconds.ts";
import { isSecretName, redact, redacted, redactForeign, redactTexts, sentence } from "./redact.ts";

const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJodWIifQ.c2lnbmF0dXJl";

const cases = [
  {
    name: "When a bearer token is in a header, it should hide the rest of the header",
    text: `GET /api 401 Authorization: Bearer ${jwt}`,
    clean: `GET /api 401 Authorization: ${redacted}`,
  },
  {
    name: "When a header is quoted as JSON, it should hide its value",
    text: '{"authorization":"Basic dXNlcjpwYXNz","accept":"*/*"}',
    clean: `{"authorization":${redacted},"accept":"*/*"}`,
  },
  {
    name: "When an error about credentials has its name before it, it should keep what the error says",
    text: "CredentialsProviderError: Could not load credentials. ExpiredTokenException: The token has expired.",
    clean:
      "CredentialsProviderError: Could not load credentials. ExpiredTokenException: The token has expired.",
  },
  {
    name: "When a token is named only by its scheme, it should hide it",
    text: "sent bearer abcdefghijkl twice",
    clean: `sent bearer ${redacted} twice`,
  },
  {
    name: "When a field's name says password, it should hide only its value",
    text: "login failed: password=hunter2, user=admin",
    clean: `login failed: password=${redacted}, user=admin`,
  },
  {
    name: "When a key is named in words, it should hide it as well",
    text: "signed with secret access key=wJalrXUtnFEMI",
    clean: `signed with secret access key=${redacted}`,
  },
  {
    name: "When a password is a JSON string with spaces, it should hide all of it",
    text: '{"password": "correct horse", "user": "admin"}',
    clean: `{"password": ${redacted}, "user": "admin"}`,
  },
  {
    name: "When a query holds a session token, it should hide it up to the next parameter",
    text: "GET /?X-Amz-Security-Token=abc%2Fdef&Action=Publish",
    clean: `GET /?X-Amz-Security-Token=${redacted}&Action=Publish`,
  },
  {
    name: "When a URL has a user part, it should keep scheme, host and path",
    text: "fetch https://admin:p@ss@quay.lab:8443/v2/ failed",
    clean: `fetch https://${redacted}@quay.lab:8443/v2/ failed`,
  },
  {
    name: "When a registry has a login but no scheme, it should keep the rest of the name",
    text: 'invalid source "robot:p-ss@quay.io/acme", not acme/app:v1@sha256:0123',
    clean: `invalid source "${redacted}@quay.io/acme", not acme/app:v1@sha256:0123`,
  },
  {
    name: "When a private key is truncated, it should hide it to the end",
    text: "bad key -----BEGIN RSA PRIVATE KEY-----\nMIIE",
    clean: `bad key ${redacted}`,
  },
  {
    name: "When tokens have no name, it should recognize them by their shape",
    text: `${jwt} sha256~0123456789abcdefghij AKIAIOSFODNN7EXAMPLE`,
    clean: `${redacted} ${redacted} ${redacted}`,
  },
  {
    name: "When a pull secret has docker's auth, it should hide its value",
    text: '{"auths":{"quay.io":{"auth":"cm9ib3Q6cA==","email":"a@b"}}}',
    clean: `{"auths":{"quay.io":{"auth":${redacted},"email":"a@b"}}}`,
  },
  {
    name: "When JSON is in a JSON string, it should hide values between escaped quotes",
    text: String.raw`{"note":"{\"auth\":\"cm9ib3Q6cA==\",\"password\":\"correct horse\"}"}`,
    clean: String.raw`{"note":"{\"auth\":${redacted},\"password\":${redacted}}"}`,
  },
  {
    name: "When a password contains an escaped quote, it should hide all of it",
    text: String.raw`{"password": "cor\"rect", "user": "admin"}`,
    clean: `{"password": ${redacted}, "user": "admin"}`,
  },
  {
    name: "When a password spans lines, it should hide all of it",
    text: 'password="cor\\\nrect" user=admin',
    clean: `password=${redacted} user=admin`,
  },
  {
    name: "When a kubeconfig has a client's key, it should hide it and keep the certificate",
    text: "client-certificate-data: Q0VSVA==\nclient-key-data: S0VZ\nname: admin",
    clean: `client-certificate-data: Q0VSVA==\nclient-key-data: ${redacted}\nname: admin`,
  },
  {
    name: "When a URL is signed or has a short password, it should hide these parameters",
    text: "GET /a?user=x&pass=hunter2&sig=ab%2Fc&DB_PASS=y&X-Amz-Signature=0123&se=2026 bypass=no design=new",
    clean: `GET /a?user=x&pass=${redacted}&sig=${redacted}&DB_PASS=${redacted}&X-Amz-Signature=${redacted}&se=2026 bypass=no design=new`,
  },
  {
    name: "When tokens of forges have no name, it should recognize them, and not npm's variables",
    text: "ghp_0123456789abcdefghijABCDEFGHIJ012345 glpat-0123456789_abcdefgHI npm_0123456789abcdefghijABCDEFGHIJ012345 npm_config_registry",
    clean: `${redacted} ${redacted} ${redacted} npm_config_registry`,
  },
  {
    name: "When a text says where AWS keeps a secret, it should keep that place",
    text: "HUBRELAY_HUB is like in-cluster, secretsmanager:NAME or parameterstore:/NAME; secretsmanager:/hubrelay/prod/resync is not a kubeconfig",
    clean:
      "HUBRELAY_HUB is like in-cluster, secretsmanager:NAME or parameterstore:/NAME; secretsmanager:/hubrelay/prod/resync is not a kubeconfig",
  },
  {
    name: "When AWS names a secret, it should keep its name",
    text: "no access to arn:aws:secretsmanager:eu-west-1:123456789012:secret:hub-a1b2c3",
    clean: "no access to arn:aws:secretsmanager:eu-west-1:123456789012:secret:hub-a1b2c3",
  },
  {
    name: "When the place of a secret holds a password, it should hide it",
    text: "secretsmanager:hub?password=hunter2 secretsmanager:token=hunter2 secretsmanager:https://u:p@quay.io",
    clean: `secretsmanager:hub?password=${redacted} secretsmanager:token=${redacted} secretsmanager:https://${redacted}@quay.io`,
  },
  {
    name: "When the name of a field only contains that of AWS's service, it should hide its value",
    text: 'secretsmanager=hunter2 {"secretsmanager":"hunter2"} secret:hunter2 secrets:hunter2',
    clean: `secretsmanager=${redacted} {"secretsmanager":${redacted}} secret:${redacted} secrets:${redacted}`,
  },
  {
    name: "When nothing is a credential, it should change nothing",
    text: "ImageDigestMirrorSet/acme: spec.imageDigestMirrors[0].source is https://quay.io/ocp@sha256:0123",
    clean: "ImageDigestMirrorSet/acme: spec.imageDigestMirrors[0].source is https://quay.io/ocp@sha256:0123",
  },
];

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

test.for([
  "quay.io/ns/token-service:v1.2",
  "ghcr.io/external-secrets/external-secrets:v0.9",
  "apps/token-issuer:v1",
  `apps/token-issuer:v1@${digest}`,
  `quay.io/acme/token@${digest}`,
  "quay.io/acme/auth:v1",
  "quay.io/acme/cookie:v1",
  "registry-token:8443/a",
  "registry-token:8443",
  "registry-token:8443/a/b:v1",
  `registry-token:8443/a@${digest}`,
  "token.lab:5000/secrets/password-reset:1.0",
  "the image quay.io/acme/secret-reader:v1: not found",
  '"quay.io/acme/secret-reader:v1", 2 mirrors',
  String.raw`{"image":"{\"name\":\"quay.io/acme/token:v1\"}"}`,
  '{"secretRef":{"name":"pull"},"secrets":[{"name":"a"}],"tokens":[],"credentials":["a"]}',
  String.raw`{"note":"{\"secretRef\":{\"name\":\"pull\"}}"}`,
  'spec.pullSecret: {"name":"pull"}',
])("When %s is an image reference or JSON without a credential, it should stay", (text) => {
  expect(redact(text)).toBe(text);
});

test.for([
  { text: "password:12345", clean: `password:${redacted}` },
  { text: "token:123456", clean: `token:${redacted}` },
  { text: "token:8443/a", clean: `token:${redacted}` },
  { text: "db-password:12345/a", clean: `db-password:${redacted}` },
  { text: "db-password:12345", clean: `db-password:${redacted}` },
  { text: "db.password=a/b", clean: `db.password=${redacted}` },
  { text: "/run/secrets/token=hunter2", clean: `/run/secrets/token=${redacted}` },
  { text: "token:4321/AbC+d=", clean: `token:${redacted}` },
  { text: "quay.io/acme/token:p@quay.io", clean: `quay.io/acme/${redacted}@quay.io` },
  { text: `quay.io/acme/token:${jwt}`, clean: `quay.io/acme/token:${redacted}` },
  { text: '"client-secret":"x"', clean: `"client-secret":${redacted}` },
  { text: "password={SSHA}x", clean: `password=${redacted}}x` },
  { text: 'password="a"b', clean: `password=${redacted}` },
  { text: '"secretRef":{"password":"x"}', clean: `"secretRef":{"password":${redacted}}` },
  {
    text: "private-key: -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    clean: `private-key: ${redacted}`,
  },
  { text: "a/password:hunter2", clean: "a/password:[redacted]" },
  { text: "login/api-key:abc123", clean: "login/api-key:[redacted]" },
])("When $text only resembles an image reference or JSON, it should be redacted", ({ text, clean }) => {
  expect(redact(text)).toBe(clean);
});

test("When a replacement leaves a login before a host, that should be redacted as well", () => {
  const text = `acme/app:v1@sha256:0123=sha256:${"0".repeat(64)}@quay.io`;
  expect(redact(text)).toBe("acme/[redacted]@quay.io");
});

test("When a text is redacted again, it should not change", () => {
  const piece = fc.constantFrom(
    ..."token secret password api-key auth sig authorization cookie bearer Error".split(" "),
    ...[":", "=", "/", ".", "@", " ", '"', "'", "\\", "{", "}", "[", "]", ",", "//", "\n", "…"],
    ...["v1", "8443", "quay.io", "x", "0123456789", digest, jwt, redacted, "-----BEGIN PRIVATE KEY-----"],
    ...cases.map(({ text }) => text),
  );
  const text = fc.array(fc.oneof({ weight: 9, arbitrary: piece }, fc.string()), { maxLength: 16 });
  fc.assert(
    fc.property(text, (pieces) => {
      const once = redact(pieces.join(""));
      expect(redact(once)).toBe(once);
    }),
  );
});

test.for(cases)("$name", ({ text, clean }) => {
  expect(redact(text)).toBe(clean);
});

test.for([
  "passphrase: hunter2",
  "no session for token: hunter2",
  "the Secret of my-password: hunter2 is refused",
])("When another system says %s, the value should be redacted", (text) => {
  expect(redactForeign(text)).not.toContain("hunter2");
});

test.for([
  "quay.io/acme/secret: entry is removed",
  '"quay.io/acme/token": entry is removed',
  "ImageDigestMirrorSet pull-secret: spec.imageDigestMirrors[0].source: it matches no image",
  "ClusterGroupUpgrade ztp/token: password: it is not the name of a cluster",
  'pool "my-token": its MachineConfig differs',
  "spec.pullSecret: it must be an object, but is a string",
  'metadata.annotations["example.com/password"]: unknown, Basic authentication is not enough',
  "the registry requires a login: Basic Authentication, or a bearer token",
  "--pull-secret ./token cannot be read: no such file",
  "From 4.20.1 to 4.20.3: quay.io/acme/cookie: manifest unknown",
  "authorization: registries.conf has no entry of this name",
  "quay.io/acme/auth: no such image; machine-config-operator requests a login",
])("When hubrelay says %s, it should stay", (text) => {
  expect(redact(`where ${text}`)).toBe(`where ${text}`);
});

/** What names are made of, and what tokens begin with. */
const pieces =
  "secret token password auth api-key basic bearer login pypi npm glasgow glpat xoxb xoxo ya29 hvs ghp dckr sk eyj production east cluster mirror a1 b".split(
    " ",
  );

test("When a name is one that Kubernetes or a registry accepts, it should never be changed", () => {
  const name = fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom("-", ".", "--")), {
      minLength: 1,
      maxLength: 8,
    })
    .map((parts) => parts.map(([piece, mark], index) => (index === 0 ? piece : `${mark}${piece}`)).join(""));
  const port = fc.constantFrom("", ":5000");
  // docs/explanation/security.md names it: `password:5000` is a password, also where it might be a host with a port, or a tag.
  const isAmbiguous = (text: string) => /(?:password|api-key):/.test(text);
  const digest = fc.constantFrom("", `@sha256:${"0123456789abcdef".repeat(4)}`);
  const image = fc
    .tuple(name, port, fc.array(name, { minLength: 1, maxLength: 3 }), digest)
    .map(([host, at, path, end]) => `registry.${host}${at}/${path.join("/")}${end}`)
    .filter((text) => !isAmbiguous(text));
  fc.assert(
    fc.property(name, image, (one, other) => {
      for (const text of [one, `${one}/${one}`, other]) {
        expect(redactForeign(text)).toBe(text);
        expect(redact(`where ${text}: no such object`)).toBe(`where ${text}: no such object`);
        expect(sentence`${text}: no such object`).toBe(`${text}: no such object`);
      }
    }),
  );
});

test("When a password is anywhere in a text, it should never remain", () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9!$%^*_+~-]{6,40}$/);
  fc.assert(
    fc.property(
      fc.string(),
      secret,
      fc.constantFrom("password=", '"token":"', "Authorization: Basic ", "apiKey: "),
      (around, hidden, before) => {
        expect(redactForeign(`${around} ${before}${hidden}`)).not.toContain(`${before}${hidden}`);
      },
    ),
  );
});

test("When a text is long and adversarial, it should still take no noticeable time", () => {
  const pieces = [
    "token",
    "eyJ",
    "//a",
    "//a@",
    "authorization:",
    "-----BEGIN PRIVATE KEY-----",
    "a.",
    "password =",
    'auth":"\\\\',
    "ghp_",
    "client-key-",
    "a/token:a",
    "token:80/",
    "a-token:8443",
    'token:[redacted]"',
    "//a@a@",
    "a:",
    "-",
    "--a",
  ];
  const redactAll = () => pieces.map((piece) => redact(piece.repeat(100_000)));
  expect(processorSeconds(redactAll)).toBeLessThan(2);
});

test.for([
  "Authorization: Basic dXNlcjpwYXNz",
  "Cookie: id=0123456789",
  "bearer abcdefghijkl",
  "PASSWORD=hunter2",
  "secret=hunter2",
  "token=hunter2",
  "access key=hunter2",
  "credential=hunter2",
  "pass=hunter2",
  "pwd=hunter2",
  "sig=hunter2",
  "--api_key hunter2",
  "--registry-access key hunter2",
  "x-goog-signature=hunter2",
  "//u:p@quay.io",
  "u:p@quay.io",
  jwt,
  "sha256~0123456789abcdefghij",
  "ASIAIOSFODNN7EXAMPLE",
  "ghs_0123456789abcdefghIJ",
  "github_pat_0123456789abcdefghIJ",
  "glpat-0123456789abcdefghIJ",
  "npm_0123456789abcdefghIJ",
])("When nothing else in a text hints at a credential than %s, it should be redacted", (credential) => {
  expect(redact(`1 ${credential} 2`)).toContain(redacted);
});

test("When a value has texts at any depth, each should be redacted and nothing else changed", () => {
  const value = { a: ["password=hunter2", 1, null, true], token: { b: "https://u:p@quay.io" } };
  expect(redactTexts(value)).toEqual({
    a: [`password=${redacted}`, 1, null, true],
    token: { b: `https://${redacted}@quay.io` },
  });
});

test("When a field has the name of a credential, its value should be redacted, and not that of a name", () => {
  const value = { password: "hunter2", apiKey: 12345, tokens: ["a", "b"], secretName: "pull", token: "" };
  expect(redactTexts({ auth: value })).toEqual({
    auth: {
      password: redacted,
      apiKey: redacted,
      tokens: [redacted, redacted],
      secretName: "pull",
      token: "",
    },
  });
});

test.for([
  "password",
  "auth",
  "client-key-data",
  "DB_PASS",
  "X-Api-Key",
  "AWS_SECRET_ACCESS_KEY",
  "sessionToken",
  "Set-Cookie",
])("When a field is called %s, it should be taken for a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.for(["source", "author", "bypass", "design"])(
  "When a field is named %s, it should not be treated as a secret",
  (name) => {
    expect(isSecretName(name)).toBe(false);
  },
);

test.for(Object.entries(credentialForms))(
  "When a text, or a quotation in one, has the form of %s, it should be redacted",
  ([, write]) => {
    const secret = "plantedWAXQ7r2b9dLmPq4T8s";
    const text = write(secret);
    const quoted = [text, `invalid source ${JSON.stringify(text)}: it is no name`, `of '${text}'`];
    const found = quoted.map(redact).filter((shown) => tracesOf(secret).some((one) => shown.includes(one)));
    expect(found).toEqual([]);
  },
);

test("When the lines of a private key are items of a list, all of them should be redacted, and those around stay", () => {
  const key = ["-----BEGIN OPENSSH PRIVATE KEY-----", "b3BlbnNzaC1rZXk", "-----END OPENSSH PRIVATE KEY-----"];
  expect(redactTexts({ patterns: ["vsphere", ...key, "azure"] })).toEqual({
    patterns: ["vsphere", "[redacted]", "[redacted]", "[redacted]", "azure"],
  });
  expect(redactTexts([key.join("\n"), "azure"])).toEqual(["[redacted]", "azure"]);
});
