import { expect, test } from "vitest";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { trustedCaIssues } from "./trusted-ca.ts";

const mirrors = anImageDigestMirrorSet("m", [
  { source: "quay.io/acme", mirrors: ["m.example:8443/acme", "plain.example/acme"] },
]);
const image = { ...anImage({}), spec: { additionalTrustedCA: { name: "ca" } } };
const aConfigMap = (namespace: string, data: object, name = "ca") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});

const trusting = (data: object) => aConfigMap("openshift-config", data);
const elsewhere = aConfigMap("openshift-image-registry", { "m.example..8443": "x" });

test.for([
  ["is for host and port", trusting({ "m.example..8443": "x" }), []],
  ["is for a host without port", trusting({ "plain.example": "x" }), []],
  ["is for another host", trusting({ "other.example": "x" }), []],
  [
    "has a key with a colon",
    trusting({ "m.example:8443": "x" }),
    ['error InvalidValue data["m.example:8443"]'],
  ],
  [
    "is for the host of a mirror with port",
    trusting({ "m.example": "x" }),
    ['warning TrustedCaNotApplied data["m.example"]'],
  ],
  ["is in another namespace", elsewhere, ["warning TrustedCaNotApplied spec.additionalTrustedCA.name"]],
  ["has another name", aConfigMap("openshift-image-registry", {}, "other"), []],
] as const)("When the certificate %s, it should report %3$o", ([, configMap, expected]) => {
  const issues = trustedCaIssues([mirrors, image, configMap], image);
  expect(issues.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual(expected);
});
