import { expect, test } from "vitest";
import type { IssueCode } from "../../issues/issue-codes.ts";
import { aRule } from "../fixtures.ts";
import { gather, lintFinding } from "./lint-finding.ts";

const text = { code: "NeverMatches", message: "it is odd", remedy: "Change it." } as const;
const at = (index: number, about = "", code: IssueCode = text.code) =>
  lintFinding(aRule("quay.io", []), `mirrors[${index}]`, index, { ...text, code, about });
const messages = (count: number) =>
  gather(Array.from({ length: count }, (_, index) => at(index))).map(({ message }) => message);

const prefix = "spec.imageDigestMirrors[0]";

test("When a finding is about a field of a rule, it should be a warning there", () => {
  const object = { kind: "ImageDigestMirrorSet", name: "acme" };
  const found = { severity: "warning", object, path: `${prefix}.mirrors[3]`, value: 3 };
  expect(gather([at(3)])).toEqual([{ ...text, ...found }]);
});

test("When findings of one object have the same cause, they should become one issue with all places", () => {
  expect(messages(3)).toEqual([`it is odd; the same applies to ${prefix}.mirrors[1], ${prefix}.mirrors[2]`]);
});

test("When there are many of them, it should name five more and count the rest", () => {
  const named = [1, 2, 3, 4, 5].map((index) => `${prefix}.mirrors[${index}]`).join(", ");
  expect(messages(6)).toEqual([`it is odd; the same applies to ${named}`]);
  expect(messages(9)).toEqual([`it is odd; the same applies to ${named} and 3 more`]);
});

test("When cause, code or object differ, they should be separate issues", () => {
  const elsewhere = at(0);
  const other = { ...elsewhere, issue: { ...elsewhere.issue, object: { kind: "Image", name: "cluster" } } };
  expect(gather([at(0), at(0, "x"), at(0, "", "HidesMirrors"), other])).toHaveLength(4);
});
