import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runWithoutNode } from "../../test/support/precache/workload-without-node.ts";
import { finished } from "../run-program.ts";

const digest = `sha256:${"a".repeat(64)}`;
const release = `quay.io/ocp/release@${digest}`;
const index = "registry.lab:5000/olm/index:v4.18";

const payloadOf = (...images: readonly unknown[]) => ({
  "image/release-manifests/image-references": JSON.stringify({
    spec: { tags: images.map((name, number) => ({ name: `tag${number}`, from: { name } })) },
  }),
});

const catalogOf = (...images: readonly unknown[]) => ({
  opm: '#!/bin/sh\ncat "$2/catalog.json"\n',
  "image/configs/catalog.json": [
    { schema: "olm.channel", package: "ptp", name: "stable", entries: [{ name: "ptp.v1" }] },
    {
      schema: "olm.bundle",
      package: "ptp",
      name: "ptp.v1",
      relatedImages: images.map((image) => ({ image })),
    },
  ]
    .map((object) => JSON.stringify(object))
    .join("\n"),
});

const operators = { "operators.indexes": `${index}\n`, "operators.packagesAndChannels": "ptp:stable\n" };

const valid = [
  `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digest}`,
  `registry.lab:5000/a/b_c__d-e.f:v1.0@${digest}`,
  "localhost/app:latest",
  "[fd00::1]:5000/app",
  "ubi9/ubi",
];

const invalid = [
  "",
  "-v",
  "dir:80/lib",
  "oci:latest",
  "oci-archive:/var/lib/image.tar",
  "containers-storage:quay.io/a/b",
  "docker://quay.io/a/b",
  "quay.io/a/b c",
  "quay.io/a/b\t--quiet",
  " quay.io/a/b",
  "quay.io/a/../b",
  "quay.io/a//b",
  "quay.io/A/b",
  "quay.io/ä/b",
  `quay.io/a/b@sha256:${"a".repeat(63)}`,
  `quay.io/${"a".repeat(600)}`,
  "/etc/shadow",
  "$(reboot)",
];

test("When texts look like options, files or other transports, only the names of images should be accepted", async () => {
  const script = 'source "$0"; for name; do is_image_name "$name" && printf "%s\\n" "$name"; done; exit 0';
  const file = join(import.meta.dirname, "image-names.sh");
  const { stdout } = await finished("bash", ["-c", script, file, ...invalid, ...valid], { cwd: "/" });
  expect(stdout.split("\n").filter(Boolean)).toEqual(valid);
});

describe.each([
  {
    source: "release",
    content: { "platform.image": release },
    filesOf: payloadOf,
    first: release,
    end: [12, "ReleaseUnreadable"],
  },
  {
    source: "catalog",
    content: operators,
    filesOf: catalogOf,
    first: index,
    end: [13, "CatalogUnreadable"],
  },
])("the images that a $source names", ({ source, content, filesOf, first, end }) => {
  test.for([
    "--authfile=/etc/shadow",
    "dir:/var/lib",
    'quay.io/a"b\u001b[2J',
    "quay.io/a/b\nquay.io/a/c",
    { name: "x" },
  ])(
    `When one of a ${source} is %j, the run should end with the reason and the name, and pull none`,
    async (name) => {
      const { code, termination, calls, pulled, log } = await runWithoutNode({
        content,
        files: filesOf(valid[0], name),
      });
      expect([code, termination.reason, termination.image], log).toEqual([...end, first]);
      expect(termination.detail).toMatch(/: ".*" is not an image name$/);
      if (typeof name === "string") expect(termination.detail).toContain(`"${name.slice(0, 2)}`);
      expect(termination.detail).not.toMatch(/\p{Cc}/u);
      expect(log.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      expect(pulled).toEqual([first]);
      expect(calls.flat().filter((word) => typeof name === "string" && word.includes(name))).toEqual([]);
    },
  );

  test(`When a ${source} has only names of images, each should be pulled, with no option after it`, async () => {
    const { code, pulled, calls, log } = await runWithoutNode({ content, files: filesOf(...valid) });
    expect(code, log).toBe(0);
    expect(new Set(pulled)).toEqual(new Set([first, ...valid]));
    expect(calls.filter((call) => call.at(-2) !== "--")).toEqual([]);
  });
});

test.for([
  { content: { "platform.image": "dir:/var/lib" }, field: "platformImage" },
  { content: { ...operators, "operators.indexes": "--authfile=/etc/shadow\n" }, field: "operatorsIndexes" },
  { content: { additionalImages: `dir:/var/lib@${digest}\n` }, field: "additionalImages" },
])("When $field is not an image name, the run should end before a program reads it", async (given) => {
  const { code, termination, calls, log } = await runWithoutNode(given);
  expect([code, termination.reason], log).toEqual([10, "InvalidConfiguration"]);
  expect(termination.detail).toContain(given.field);
  expect(calls).toEqual([]);
});

/** Refuses to render unless it runs as nobody, without capabilities, network, environment and the rest of the node. */
const wary = `#!/bin/bash
complain() { echo "$*" >&2; exit 1; }
[ "$(id -u) $(id -g) $(id -G)" = "65534 65534 65534" ] || complain "runs as $(id)"
while read -r name value; do
  case $name in Cap*) [ "$value" = 0000000000000000 ] || complain "$name $value" ;; esac
done </proc/self/status
grep -qx 'NoNewPrivs:.1' /proc/self/status || complain "may gain privileges"
[ "$(sed -n '3,$s/:.*//p' /proc/net/dev | tr -d ' ')" = lo ] || complain "has a network"
[ -z "\${FOLDER:-}" ] || complain "has the environment of the workload"
(: >written) 2>/dev/null && complain "may write the catalog"
[ -z "$(find . -type l)" ] || complain "sees links"
cat catalog.json
`;

test("When an index brings programs, none should run, and the workload's own opm should have no privileges", async () => {
  const { code, pulled, log } = await runWithoutNode({
    content: operators,
    files: {
      ...catalogOf(valid[0]),
      "image/bin/opm": '#!/bin/sh\ncat "$2/catalog.json"; : >>image/ran\n',
      opm: wary,
    },
    before: "ln -s /etc/shadow image/configs/link; chmod 600 image/configs/catalog.json",
  });
  expect(code, log).toBe(0);
  expect(pulled).toEqual([index, valid[0]]);
});

test.for([
  ["missing", "mkdir image"],
  ["a link to a folder of the node", 'mkdir image "$FOLDER/other"; ln -s "$FOLDER/other" image/configs'],
  ["a loop of links", "mkdir image; ln -s configs image/configs"],
  ["not a catalog", "mkdir -p image/configs; echo no >image/configs/catalog.json"],
] as const)(
  "When the catalog of an index is $0, the rest should be pulled, and the run end with the reason",
  async ([, before]) => {
    const { code, termination, pulled, log } = await runWithoutNode({
      content: { ...operators, additionalImages: `${valid[0]}\n` },
      files: { opm: '#!/bin/sh\ncat "$2/catalog.json"\n' },
      before,
    });
    expect([code, termination.reason, termination.image], log).toEqual([13, "CatalogUnreadable", index]);
    expect(termination.detail).toMatch(/^everything else is on the node; /);
    expect(pulled).toEqual([index, valid[0]]);
  },
);

test("When the image of the workload has no program opm, it should be the reason, and the rest be pulled", async () => {
  const { code, termination, pulled } = await runWithoutNode({
    content: { ...operators, additionalImages: `${valid[0]}\n` },
    before: "mkdir opm",
  });
  expect([code, termination.reason]).toEqual([20, "ToolMissing"]);
  expect(pulled).toEqual([index, valid[0]]);
});

test.for([
  ["missing", "true"],
  ["a link to a file of the node", 'ln -s "$FOLDER/secret" image/release-manifests/image-references'],
  ["a FIFO", "mkfifo image/release-manifests/image-references"],
  ["a folder", "mkdir image/release-manifests/image-references"],
  [
    "in a folder that is a link",
    "rmdir image/release-manifests; mkdir other; cp secret other/image-references; ln -s ../other image/release-manifests",
  ],
] as const)("When the list of a release's images is $0, it should not be read", async ([, before]) => {
  const { code, termination, pulled, log } = await runWithoutNode({
    content: { "platform.image": release },
    files: { secret: payloadOf(valid[0])["image/release-manifests/image-references"] },
    before: `mkdir -p image/release-manifests; ${before}`,
  });
  expect([code, termination.reason, termination.image], log).toEqual([12, "ReleaseUnreadable", release]);
  expect(pulled).toEqual([release]);
});
