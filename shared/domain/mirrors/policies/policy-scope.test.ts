import { expect, test } from "vitest";
import { isIdentityPrefix, isPolicyScope } from "./policy-field.ts";

const digest = `sha256:${"0".repeat(64)}`;

test.for<[scope: string, isValid: boolean]>([
  ["quay.io", true],
  ["quay.io:5000/ns/app", true],
  ["localhost", true],
  ["localhost:5000/app", true],
  ["*.quay.io", true],
  ["quay.io/app:4.19", true],
  ["quay.io/app:latest_1.2-x", true],
  [`quay.io/app@${digest}`, true],
  [`quay.io/app:1@${digest}`, true],
  ["quay.io:latest", true],
  ["quay.io:5000/app:1", true],
  ["", false],
  ["quay", false],
  ["quay/app", false],
  ["quay:5000/app", false],
  ["*.quay.io/app", false],
  ["quay.*", false],
  ["quay.io/App", false],
  ["quay.io/app:", false],
  ["quay.io/app:.x", false],
  ["quay.io/app@sha256:abc", false],
  ["quay.io/app@", false],
  ["https://quay.io", false],
  [`quay.io/${"a".repeat(504)}`, true],
  [`quay.io/${"a".repeat(505)}`, false],
  ["quay/app:1", false],
  ["quay.io/App:1", false],
  ["quay.io-", false],
  ["quay.io/app:1!", false],
  [`quay.io/app:${"a".repeat(128)}`, true],
  [`quay.io/app:${"a".repeat(129)}`, false],
  [`quay.io/app@${digest}x`, false],
  [`quay.io/app@1${digest}`, false],
  [`quay.io/app@sha+b64:${"0".repeat(32)}`, true],
  [`quay.io/app@sha=b64:${"0".repeat(32)}`, false],
  [`quay.io/app@sha+64:${"0".repeat(32)}`, false],
  [`quay.io/app@sha256:${"0".repeat(31)}`, false],
])("When the scope is %s, it should be valid: %s", ([scope, isValid]) => {
  expect(isPolicyScope(scope)).toBe(isValid);
});

test.for<[prefix: string, isValid: boolean]>([
  ["quay.io", true],
  ["quay.io:5000/ns/app", true],
  ["localhost:5000", true],
  ["quay.io/app:1", false],
  ["*.quay.io", false],
  ["quay/app", false],
  ["quay.io/App", false],
  [`quay.io/${"a".repeat(504)}`, true],
  [`quay.io/${"a".repeat(505)}`, false],
])("When the prefix is %s, it should be valid: %s", ([prefix, isValid]) => {
  expect(isIdentityPrefix(prefix)).toBe(isValid);
});
