import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { kinds } from "../kubernetes/object.ts";
import {
  type Coverage,
  coverageIssues,
  coverageLines,
  coverageOf,
  coverageOfAll,
  inputCoverage,
  type Unread,
  unreadOfAll,
  unreadOfIssues,
} from "./coverage.ts";
import { coverageJsonSchema } from "./coverage-schema.ts";
import type { Issue } from "./issue.ts";

const nothing: Omit<Coverage, "complete"> = { read: [], unread: [], assumed: [] };
const other = (what: string, count = 1): Unread => ({ what, count, why: "kind" });
const partial = coverageOf({
  read: [{ what: "Image", count: 1 }],
  unread: [
    { what: "Policy/ztp/site", count: 1, why: "template" },
    other("Subscription"),
    other("Application"),
    other("Subscription", 2),
  ],
  assumed: [
    { what: "release", text: "release 5.1" },
    { what: "image", text: "an empty Image" },
    { what: "release", text: "release 5.1" },
  ],
});

describe("coverageOf", () => {
  test("When something was not read or is assumed, it should have each once, sorted, and not be complete", () => {
    expect(partial).toEqual({
      complete: false,
      read: [{ what: "Image", count: 1 }],
      unread: [
        other("Application"),
        other("Subscription", 3),
        { what: "Policy/ztp/site", count: 1, why: "template" },
      ],
      assumed: [
        { what: "release", text: "release 5.1" },
        { what: "image", text: "an empty Image" },
      ],
    });
  });

  test("When it is written as JSON, it should match its schema", () => {
    const matches = new Ajv2020().compile(coverageJsonSchema());
    expect([partial, coverageOf(nothing), { ...partial, more: 1 }].map((one) => matches(one))).toEqual([
      true,
      true,
      true,
    ]);
    expect(matches({ ...partial, complete: undefined })).toBe(false);
  });
});

test("When several results share what they cover, it should count once", () => {
  expect(coverageOfAll([partial, partial])).toEqual(partial);
  expect(coverageOfAll([])).toEqual(coverageOf(nothing));
});

test("When two inputs lack the same, it should count once, and twice what one of them lacks twice", () => {
  expect(unreadOfAll([[other("A"), other("A")], [other("A", 2)], [other("B")]])).toEqual([
    other("A", 2),
    other("B"),
  ]);
});

describe("coverageLines", () => {
  test("When all was covered, there should be no line", () => {
    expect(coverageLines(coverageOf({ ...nothing, read: [{ what: "Image", count: 1 }] }))).toEqual([]);
  });

  test("When it was not, there should be a line about what was not read, and one about what is assumed", () => {
    expect(coverageLines(partial)).toEqual([
      "Not read: Application, Subscription (3): other kinds; Policy/ztp/site: a template decides it.",
      "Assumed: release 5.1; an empty Image.",
    ]);
  });

  test("When many things were not read, the line should name the first", () => {
    const many = coverageOf({
      ...nothing,
      unread: ["a", "b", "c", "d", "e", "f", "g"].map((name) => other(name)),
    });
    expect(coverageLines(many)).toEqual(["Not read: a, b, c, d, e and 2 more: other kinds."]);
  });
});

const issue = (code: Issue["code"], object: Issue["object"], path = ""): Issue => ({
  code,
  severity: "warning",
  object,
  path,
  value: undefined,
  message: "",
  remedy: "",
});

test.for<{ found: Issue; unread: readonly Unread[] }>([
  {
    found: issue("UnreadNodeFile", { kind: "MachineConfig", name: "99-x" }, "/etc/containers/policy.json"),
    unread: [{ what: "MachineConfig/99-x /etc/containers/policy.json", count: 1, why: "unreadable" }],
  },
  {
    found: issue("SkippedPath", { kind: "File", name: "a/b" }, "a/b"),
    unread: [{ what: "a/b", count: 1, why: "unreadable" }],
  },
  {
    found: { ...issue("ClusterTopologyUnknown", { kind: "ClusterGroupUpgrade", name: "a" }), value: 3 },
    unread: [{ what: "topology of clusters of ClusterGroupUpgrade/a", count: 3, why: "not-checked" }],
  },
  { found: issue("InvalidSource", { kind: "ImageDigestMirrorSet", name: "a" }), unread: [] },
])("When an issue is $found.code, it should count as $unread.length unread", ({ found, unread }) => {
  expect(unreadOfIssues([found])).toEqual(unread);
});

test("When all has to be covered, one error should have both lines; without a gap there should be none", () => {
  expect(coverageIssues(coverageOf(nothing))).toEqual([]);
  expect(coverageIssues(partial)).toMatchObject([
    {
      code: "NotCovered",
      severity: "error",
      message: expect.stringMatching(/^Not read: .*\. Assumed: .*\.$/),
    },
  ]);
});

test("When an object decides nothing or is read, it should not be unread; one of another program should", () => {
  const objects = [
    ["config.openshift.io/v1", "Image"],
    ["config.openshift.io/v2", "Image"],
    ["v1", "Namespace"],
    ["rbac.authorization.k8s.io/v1", "Role"],
    ["hypershift.openshift.io/v1beta1", "HostedCluster"],
    ["ran.openshift.io/v1", "PolicyGenTemplate"],
  ].map(([apiVersion = "", kind = ""]) => ({ apiVersion, kind, metadata: { name: "a" } }));
  expect(inputCoverage({ ...nothing, objects, issues: [] }, [kinds.Image])).toEqual({
    complete: false,
    read: [{ what: "Image", count: 2 }],
    unread: [other("PolicyGenTemplate")],
    assumed: [],
  });
});
