import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { credentialForms, tracesOf } from "../../../test/support/messages/credential-forms.ts";
import { processorSeconds } from "../../../test/support/setup/processor-seconds.ts";
import { isSecretName, printable, printableValue, redactForeign, redactTexts, sentence } from "./redact.ts";

const secret = "plantedWAXQ7r2b9dLmPq4T8s";
const jwt = `eyJhbGciOiJSUzI1NiJ9.${secret}.${secret}`;
const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

describe("what is printed of a value", () => {
  test.for([
    ["an image", `quay.io/acme/token-service:v1.2@${digest}`],
    ["a name that begins as a token", "pypi-mirror-of-the-production-cluster"],
    ["a host with a port", "registry-token:5000"],
    ["a URL", "https://quay.io:8443/v2/?channel=stable-4.20"],
    ["a wildcard", "*.apps.example.com"],
    ["a field", 'spec.imageDigestMirrors[0].source of metadata.annotations["hubrelay.dev/max-cost"]'],
    ["times", "2026-03-01T02:00:00.123Z, 3h20m, in 5 min"],
    ["a quantity", "40 GiB"],
    ["the path of a file", "sno/siteConfigV2TestOutput.yaml"],
    ["versions", "4.20.3-rc.1, config.openshift.io/v1beta1, x86_64, IPv6"],
    ["kinds", "ImageDigestMirrorSet, CRIOCredentialProviderConfig, MCOs"],
    ["a sentence", "quay.io/acme/secret: no such image (machine-config-operator's 'own' entry)."],
    ["a message", "ExpiredTokenException: The token has expired"],
    ["what was replaced before", "https://[redacted]@quay.io is a text of 12 characters"],
  ] as const)("When it is %s, it should stay", ([, text]) => {
    expect(printable(text)).toBe(text);
  });

  test.for([
    ["a token", secret, `a text of ${secret.length} characters`],
    ["a token in words", `signed by ${secret}, twice`, "signed by [redacted] twice"],
    ["a login before a host", "robot:hunter2@quay.io/acme", "[redacted]@quay.io/acme"],
    ["a login with an @ and slashes", "https://a:b@c/d@quay.io/v2", "https://[redacted]@quay.io/v2"],
    ["a field named like a credential", "password: hunter two", "password: [redacted]"],
    ["a parameter", "GET /a?token=hunter2&b=c", "GET /a?token=[redacted]&b=c"],
    ["JSON", '{"auth":"hunter2"}', '{"auth":[redacted]'],
  ])("When it is %s, it should be replaced", ([, text = "", expected]) => {
    expect(printable(text)).toBe(expected);
    expect(printable(expected ?? "")).toBe(expected);
  });

  test.for(Object.entries(credentialForms))("When it is %s, nothing of it should stay", ([, write]) => {
    const text = write(secret);
    const shown = [
      printable(text),
      printableValue(text),
      sentence`of '${text}'`,
      redactTexts({ [text]: text }),
    ];
    expect(tracesOf(secret).filter((one) => JSON.stringify(shown).includes(one))).toEqual([]);
  });

  test.for([
    ["correct horse battery", "a text of 21 characters"],
    ["0 2 * * 6", "0 2 * * 6"],
    ["40 GiB", "40 GiB"],
    [" quay.io/acme", " quay.io/acme"],
  ] as const)("When the value of a field is %j, it should be %j", ([value, expected]) => {
    expect(printableValue(value)).toBe(expected);
  });
});

test.for([
  [
    "a header",
    `401 Authorization: Basic ${secret}\nhttps://quay.io`,
    "401 Authorization: [redacted]\nhttps://quay.io",
  ],
  [
    "a login",
    `fetch https://admin:p@${secret}@quay.lab/v2/ failed`,
    "fetch https://[redacted]@quay.lab/v2/ failed",
  ],
  ["a bearer token", `sent bearer ${secret} twice`, "sent bearer [redacted] twice"],
  ["a JSON web token", `${jwt} is expired`, "[redacted] is expired"],
  ["OpenShift's token", `sha256~${secret} is expired`, "[redacted] is expired"],
  ["AWS's key", "AKIAIOSFODNN7EXAMPLE is unknown", "[redacted] is unknown"],
  ["GitHub's token", `ghp_${secret} is expired`, "[redacted] is expired"],
  ["a private key", `-----BEGIN RSA PRIVATE KEY-----\n${secret}`, "[redacted]"],
  ["no credential", "dial tcp 10.0.0.1:443: lookup Zx9Kq2Lm8: no such host", undefined],
] as const)(
  "When another system's message has %s, only that should be removed",
  ([, text, expected = text]) => {
    expect(redactForeign(text)).toBe(expected);
  },
);

test("When a text is shown as it is, it should be so among other words too", () => {
  const words = fc.constantFrom(
    ...[
      "token",
      "eyJabcdefgh",
      "npm_",
      "hvs.",
      "Bearer",
      "Secret",
      "a1",
      "-",
      "/",
      "AKIA",
      "@sha256:",
      digest,
    ],
  );
  const name = fc.array(words, { maxLength: 6 }).map((some) => some.join(""));
  const isSame = fc.property(name, (text) => {
    if (printable(text) === text) expect(printable(`${text} x`)).toBe(`${text} x`);
  });
  fc.assert(isSame, { numRuns: 1000 });
});

test("When a text is long and adversarial, it should still take no noticeable time", () => {
  const pieces = [
    ...[
      "token",
      "eyJ",
      "//a",
      "//a@",
      "a@",
      "authorization:",
      "-----BEGIN PRIVATE KEY-----",
      "a.",
      "password =",
    ],
    ...[
      'auth":"\\\\',
      "ghp_",
      "a_",
      "a-token:8443",
      'token:[redacted]"',
      "a:",
      "-",
      "--a",
      "bearer ",
      "aB",
      "x-a-",
    ],
  ];
  const all = () =>
    pieces.flatMap((one) => [printable, redactForeign].map((by) => by(one.repeat(30_000 / one.length))));
  expect(processorSeconds(all)).toBeLessThan(2);
});

test("When a field has the name of a credential, its value should be replaced, and not that of a name", () => {
  const value = { password: "hunter2", apiKey: 12345, tokens: ["a"], secretName: "pull", token: "", n: null };
  expect(redactTexts({ auth: value })).toEqual({
    auth: {
      password: "[redacted]",
      apiKey: "[redacted]",
      tokens: ["[redacted]"],
      secretName: "pull",
      token: "",
      n: null,
    },
  });
});

test.for([
  ...[
    "password",
    "auth",
    "client-key-data",
    "DB_PASS",
    "X-Api-Key",
    "AWS_SECRET_ACCESS_KEY",
    "Set-Cookie",
  ].map((name) => [name, true] as const),
  ...["source", "author", "bypass", "design", "secretName"].map((name) => [name, false] as const),
])("When a field is called %s, whether it is a secret should be %j", ([name, expected]) => {
  expect(isSecretName(name)).toBe(expected);
});
