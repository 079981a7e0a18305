import { expect, test } from "vitest";
import { isInsecure } from "./insecure-hosts.ts";

test.for([
  ["a.lan:5000", ["a.lan:5000"], true],
  ["a.lan:5000", ["a.lan"], true],
  ["a.lan", ["a.lan:5000"], false],
  ["x.a.lan:5000", ["*.lan"], true],
  ["a.lan", ["*.a.lan"], false],
  [".lan", ["*.lan"], false],
  ["a.lan.example.com", ["*.lan", "a.lan"], false],
  ["a.lan", ["a.lan/ns"], false],
  ["a.lan", [], false],
] as const)("When the host is %s and insecure are %j, it should be %s", ([host, insecure, wanted]) => {
  expect(isInsecure(host, insecure)).toBe(wanted);
});
