import { expect, test } from "vitest";
import { stringify } from "yaml";
import { GuestError } from "../../../ports/external-ports.ts";
import { guestKubeConfig } from "./guest-kube-config.ts";

const secret = Buffer.from("-----BEGIN EC PRIVATE KEY-----").toString("base64");

function published(
  cluster: Readonly<Record<string, unknown>> = {},
  user: Readonly<Record<string, unknown>> = {},
): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin",
    contexts: [{ name: "admin", context: { cluster: "cluster", user: "admin", namespace: "default" } }],
    clusters: [
      {
        name: "cluster",
        cluster: {
          server: "https://api.shop.example.com:6443",
          "certificate-authority-data": secret,
          ...cluster,
        },
      },
    ],
    users: [
      { name: "admin", user: { "client-certificate-data": secret, "client-key-data": secret, ...user } },
      { name: "other", user: { exec: { command: "sh" } } },
    ],
  });
}

test("When it is what a control plane publishes, it should be used as it is", () => {
  const config = guestKubeConfig(published());
  expect(config.getCurrentCluster()).toMatchObject({
    server: "https://api.shop.example.com:6443",
    caData: secret,
    skipTLSVerify: false,
  });
  expect(config.getCurrentUser()).toMatchObject({ certData: secret, keyData: secret });
});

test.for([
  ["runs a program", published({}, { exec: { command: "sh", args: ["-c", "id"] } })],
  ["reads a token from a file", published({}, { tokenFile: "/var/run/secrets/token" })],
  ["reads a key from a file", published({}, { "client-key": "/etc/shadow" })],
  ["reads an authority from a file", published({ "certificate-authority": "/etc/shadow" })],
  ["names a provider", published({}, { "auth-provider": { name: "gcp" } })],
  ["impersonates", published({}, { as: "system:admin" })],
  ["trusts everybody", published({ "insecure-skip-tls-verify": true })],
  ["uses a proxy", published({ "proxy-url": "http://proxy.example.com" })],
  ["has a server without TLS", published({ server: "http://api.shop.example.com" })],
  ["has a password in its server", published({ server: "https://a:b@api.shop.example.com" })],
  ["has no server", published({ server: "" })],
  ["has an unknown context", published().replace("current-context: admin", "current-context: nobody")],
  ["is not YAML", `{"token": "${secret}`],
  ["is empty", ""],
] as const)("When it %s, it should be rejected without quoting its content", ([, text]) => {
  const rejection = (() => {
    try {
      return guestKubeConfig(text);
    } catch (error) {
      return error;
    }
  })();
  expect(rejection).toBeInstanceOf(GuestError);
  expect(String(rejection)).not.toContain(secret);
});
