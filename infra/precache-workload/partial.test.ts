import { expect, test } from "vitest";
import { runWithoutNode } from "../../test/support/precache/workload-without-node.ts";

const digest = `sha256:${"a".repeat(64)}`;
const release = `quay.io/ocp/release@${digest}`;
const payload = `quay.io/ocp/part@${digest}`;
const index = "registry.lab:5000/olm/index:v4.18";
const operator = `registry.lab:5000/olm/ptp@${digest}`;
const app = `quay.io/acme/app@${digest}`;

const content = {
  "platform.image": release,
  "operators.indexes": `${index}\n`,
  "operators.packagesAndChannels": "ptp:stable\nsriov-fec:stable\nlogging:gone\n",
  additionalImages: `${app}\n`,
};

const catalog = [
  { schema: "olm.channel", package: "ptp", name: "stable", entries: [{ name: "ptp.v1" }] },
  { schema: "olm.channel", package: "logging", name: "stable", entries: [{ name: "logging.v1" }] },
  { schema: "olm.bundle", package: "ptp", name: "ptp.v1", relatedImages: [{ image: operator }] },
];

const files = {
  "image/release-manifests/image-references": JSON.stringify({
    spec: { tags: [{ name: "part", from: { name: payload } }] },
  }),
  opm: '#!/bin/sh\ncat "$2/catalog.json"\n',
  "image/configs/catalog.json": catalog.map((object) => JSON.stringify(object)).join("\n"),
};

/** The images in the order of their first pull: the storage of the node that stands in has no index. */
const firsts = (pulled: readonly string[]) => [...new Set(pulled)];

/** Lets podman fail to pull one image. */
const without = (image: string, error: string) =>
  `sed -i '2i case "$*" in *" pull "*"${image}") echo "${error}" >&2; exit 125 ;; esac' bin/podman`;

test("When catalogs have neither a package nor a channel, the rest should be pulled, and these be the reason", async () => {
  const { code, termination, pulled, log } = await runWithoutNode({ content, files });
  expect([code, termination], log).toEqual([
    0,
    {
      reason: "PackagesNotFound",
      image: "",
      detail: "no index has sriov-fec:stable, logging:gone; everything else is on the node",
    },
  ]);
  expect(firsts(pulled).slice(0, 3)).toEqual([release, payload, index]);
  expect(new Set(pulled)).toEqual(new Set([release, payload, index, operator, app]));
});

test("When a cluster installs another version than the head of the channel, both bundles should be pulled", async () => {
  const [head, pinned] = ["b", "c"].map((digit) => `registry.lab:5000/olm/ptp@sha256:${digit.repeat(64)}`);
  const bundle = (name: string, image = "") => ({
    schema: "olm.bundle",
    package: "ptp",
    name,
    relatedImages: [{ image }],
  });
  const entries = [{ name: "ptp.v1" }, { name: "ptp.v2", replaces: "ptp.v1" }];
  const objects = [
    { schema: "olm.channel", package: "ptp", name: "stable", entries },
    bundle("ptp.v1", pinned),
    bundle("ptp.v2", head),
  ];
  const { code, pulled, log } = await runWithoutNode({
    content: {
      "operators.indexes": `${index}\n`,
      "operators.packagesAndChannels": "ptp:stable\n",
      "operators.startingCSVs": "ptp:ptp.v1\nptp:ptp.v0\nother:ptp.v2\n",
    },
    files: { ...files, "image/configs/catalog.json": objects.map((one) => JSON.stringify(one)).join("\n") },
  });
  expect(code, log).toBe(0);
  expect(new Set(pulled)).toEqual(new Set([index, head, pinned]));
});

test.for([
  { what: "is not in its registry", before: without(index, "manifest unknown"), end: [16, "ImageNotFound"] },
])("When a catalog $what, the rest should be pulled before the run ends with the reason", async (given) => {
  const { code, termination, pulled, log } = await runWithoutNode({ content, files, before: given.before });
  expect([code, termination.reason, termination.image], log).toEqual([...given.end, index]);
  expect(termination.detail).toMatch(/^everything else is on the node; /);
  expect(firsts(pulled).filter((image) => image !== index)).toEqual([release, payload, app]);
});

test("When the release cannot be read, operators and other images should be pulled all the same", async () => {
  const before = "rm image/release-manifests/image-references";
  const { code, termination, pulled, log } = await runWithoutNode({ content, files, before });
  expect([code, termination.reason, termination.image], log).toEqual([12, "ReleaseUnreadable", release]);
  expect(new Set(pulled)).toEqual(new Set([release, index, operator, app]));
});

test("When an image of the release cannot be pulled, it should be tried once for all steps, and be the reason", async () => {
  const before = without(payload, "manifest unknown");
  const { code, termination, calls, pulled, log } = await runWithoutNode({ content, files, before });
  expect([code, termination.reason, termination.image], log).toEqual([16, "ImageNotFound", payload]);
  expect(termination.detail).toContain("(1 of 5 images failed)");
  expect(pulled).toContain(operator);
  const pulls = calls.filter((call) => call.includes("pull") && call.at(-1) === payload);
  expect(pulls.length).toBeLessThanOrEqual(2);
});

test("When the images are only those of a release and others, those of the release should be pulled first", async () => {
  const { "platform.image": platform, additionalImages } = content;
  const request = { "platform.image": platform, additionalImages };
  const { code, pulled, log } = await runWithoutNode({
    content: request,
    files,
    env: { PULL_PARALLEL: "1" },
  });
  expect(code, log).toBe(0);
  expect(firsts(pulled)).toEqual([release, payload, app]);
});

test("When catalogs lack a package, a check should not fail for it", async () => {
  const { code, termination, log } = await runWithoutNode({
    content,
    files,
    program: "check.sh",
    before: `printf '%s\\n' ${[release, payload, index, operator, app].join(" ")} >pulled`,
  });
  expect([code, termination], log).toEqual([0, { reason: "Checked", image: "", detail: "" }]);
});
