import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTermination } from "../../test/support/precache/termination.ts";
import { runWithoutNode } from "../../test/support/precache/workload-without-node.ts";
import { finished } from "../run-program.ts";

/** The workload's steps about patterns, without a node. */
const steps = `
set -uo pipefail
work=$PWD
source "$FOLDER/settings.sh"; source "$FOLDER/end.sh"; source "$FOLDER/release-images.sh"
stop_reporting() { :; }; report_progress() { :; }; clear_node() { :; }
termination_log=$PWD/termination
check_patterns "$work/patterns"
leave_out "$work/patterns"
`;

const defaultPayload = [`"aws-driver$quay.io/ocp@sha256:1"`, `"cli$quay.io/ocp@sha256:2"`];

type Given = Readonly<{ patterns: readonly string[]; payload?: readonly string[]; env?: NodeJS.ProcessEnv }>;

async function leaveOut({ patterns, payload = defaultPayload, env }: Given) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "leave-out-"));
  const file = (name: string) => join(folder.path, name);
  await writeFile(file("patterns"), patterns.map((pattern) => `${pattern}\n`).join(""));
  await writeFile(file("payload"), payload.map((line) => `${line}\n`).join(""));
  const options = { cwd: folder.path, env: { ...process.env, FOLDER: import.meta.dirname, ...env } };
  const { code, stderr } = await finished("bash", ["-c", steps], options);
  const left = (await readFile(file("payload"), "utf8")).split("\n").filter(Boolean);
  const message = await readFile(file("termination"), "utf8").catch(() => "");
  return { code, stderr, left, termination: readTermination(message) };
}

const refused = (detail: string) => ({ reason: "InvalidConfiguration", image: "", detail });

test("When patterns match some images of the release, the others should remain", async () => {
  const { code, left, stderr } = await leaveOut({ patterns: ['^"aws', "azure"] });
  expect(code, stderr).toBe(0);
  expect(left).toEqual(defaultPayload.slice(1));
});

test.for([
  ["every image", ["quay"], "excludePrecachePatterns leave no image of the release"],
  [
    "more memory than the limit",
    ["aws", "x\\{1,32767\\}"],
    'excludePrecachePatterns: "x\\{1,32767\\}": grep takes more than 512 MiB of memory for it ',
  ],
] as const)("When the patterns take $0, the run should end with the reason", async ([, patterns, detail]) => {
  const { code, termination, stderr } = await leaveOut({ patterns });
  expect(code, stderr).toBe(10);
  expect(termination).toEqual(refused(detail));
});

test("When a pattern takes longer than the limit, the run should end with the reason", async () => {
  const { code, termination, stderr } = await leaveOut({
    patterns: ["\\(x*\\)\\(x*\\)\\(x*\\)\\(x*\\)\\4\\3\\2\\1y\\1y"],
    payload: [`y${"x".repeat(400)}y`],
    env: { GREP_SECONDS: "1" },
  });
  expect(code, stderr).toBe(10);
  expect(termination).toEqual(refused("excludePrecachePatterns: grep takes more than 1 s for it "));
});

test("When a pattern repeats a part often, grep should have the memory and time for it", async () => {
  const patterns = [
    "x\\{0,255\\}y\\{0,255\\}",
    "\\(x\\{0,25\\}\\)\\{0,40\\}",
    ".\\{1,10\\}\\{1,10\\}\\{1,10\\}",
  ];
  const { code, termination, stderr } = await leaveOut({ patterns: patterns.map((one) => `z${one}z`) });
  expect([code, termination], stderr).toEqual([0, {}]);
});

const digestOf = (letter: string) => `sha256:${letter.repeat(64)}`;
const release = `quay.io/ocp/release@${digestOf("0")}`;
const part = (letter: string) => `quay.io/ocp/part@${digestOf(letter)}`;
const tags = {
  cli: part("1"),
  "rhel-coreos": part("2"),
  "rhel-coreos-extensions": part("3"),
  "rhel-coreos-10": part("4"),
  "rhel-coreos-10-extensions": part("5"),
};
const all = Object.values(tags);
const [cli = "", ...streams] = all;
const ofRhel9 = [cli, ...streams.slice(0, 2)];
const ofRhel10 = [cli, ...streams.slice(2)];

const payloadOf = (images: Readonly<Record<string, string>>) =>
  JSON.stringify({
    spec: { tags: Object.entries(images).map(([name, from]) => ({ name, from: { name: from } })) },
  });

/** The cluster's API, which knows these objects by path, and an account that may read them. */
const curl = `#!/bin/sh
for url; do :; done
cat "$FOLDER/api/$(printf %s "$url" | sed s#.*machineconfiguration.openshift.io/##)" 2>/dev/null || exit 22
`;

/** Ends a run with the images that are listed, as if they were pulled: for rows that differ only in what is listed. */
const listsOnly = `cat >>steps.sh <<'SH'
pull_all() { cat "$1" >"$FOLDER/pulled"; }
verify_all() { :; }
SH
`;

type OfCluster = Readonly<{
  api?: Readonly<Record<string, unknown>>;
  payload?: Readonly<Record<string, string>>;
  content?: Readonly<Record<string, string>>;
  /** The line of the node's os-release. */
  platform?: string;
  program?: "precache.sh" | "check.sh";
  /** Pulls the images as well. */
  isWhole?: boolean;
}>;

/** Runs on a node of a cluster whose API has these objects. */
const runOn = ({ api = {}, payload = tags, content, platform = "", program, isWhole }: OfCluster) =>
  runWithoutNode({
    content: { "platform.image": `${release}\n`, ...content },
    files: {
      "bin/curl": curl,
      "account/token": "t",
      "os-release": `${platform}\n`,
      "image/release-manifests/image-references": payloadOf(payload),
      ...Object.fromEntries(
        Object.entries(api).map(([path, object]) => [`api/${path}`, JSON.stringify(object)]),
      ),
      ...(program ? { pulled: [release, ...ofRhel9].map((name) => `${name}\n`).join("") } : {}),
    },
    env: { POD_NAMESPACE: "openshift-talo-pre-cache" },
    before: `${isWhole ? "" : listsOnly}export SERVICE_ACCOUNT_FOLDER=$PWD/account OS_RELEASE=$PWD/os-release`,
    ...(program ? { program } : {}),
  });

const updated = [{ type: "Updated", status: "True" }];
const stream = (name?: string) => (name === undefined ? {} : { osImageStream: { name } });
/** A pool with this stream in its spec and its status. */
const pool = (
  wanted: string | undefined,
  current: string | undefined,
  more: object = { conditions: updated },
) => ({
  spec: stream(wanted),
  status: { machineCount: 1, ...stream(current), ...more },
});
const pools = (...items: readonly unknown[]) => ({ "v1/machineconfigpools": { items } });
const rhel9 = "OS stream rhel-9: without rhel-coreos-10";
const unknown =
  "OS stream unknown, changing or not the same on all nodes: the images of both streams are among them";

test.for<readonly [what: string, given: OfCluster, images: readonly string[], note: string]>([
  ["boots rhel-9", { api: pools(pool(undefined, "rhel-9")), isWhole: true }, ofRhel9, rhel9],
  [
    "boots rhel-10, by request",
    { api: pools(pool("rhel-10", "rhel-10"), { spec: {}, status: { machineCount: 0 } }) },
    ofRhel10,
    "OS stream rhel-10: without rhel-coreos",
  ],
  ["moves to rhel-10", { api: pools(pool("rhel-10", "rhel-9")) }, all, unknown],
  [
    "is being updated",
    { api: pools(pool(undefined, undefined, { conditions: [] })), platform: 'PLATFORM_ID="platform:el9"' },
    all,
    unknown,
  ],
  ["has pools of both", { api: pools(pool(undefined, "rhel-9"), pool("rhel-10", "rhel-10")) }, all, unknown],
  [
    "is older than OS streams",
    { api: pools(pool(undefined, undefined)), platform: 'PLATFORM_ID="platform:el9"' },
    ofRhel9,
    rhel9,
  ],
  ["does not name its OS", { api: pools(pool(undefined, undefined)) }, all, unknown],
  ["denies access", { platform: 'PLATFORM_ID="platform:el9"', isWhole: true }, all, unknown],
  [
    "boots another stream",
    { api: pools(pool(undefined, "centos-10")) },
    all,
    "OS stream centos-10: the images of both streams are among them",
  ],
])(
  "When a cluster $0, the images of its OS streams should be chosen, and said",
  async ([, given, images, note]) => {
    const { code, termination, pulled, log } = await runOn(given);
    expect([code, termination.reason], log).toEqual([0, "Completed"]);
    expect(termination.detail).toBe(`${images.length + 1} images are on the node; ${note}`);
    expect(new Set(pulled)).toEqual(new Set([release, ...images]));
  },
);

test("When a release has one OS stream, nothing should be left out or said", async () => {
  const { cli, "rhel-coreos": os, "rhel-coreos-extensions": extensions } = tags;
  const payload = { cli, "rhel-coreos": os, "rhel-coreos-extensions": extensions };
  const { termination, pulled } = await runOn({ api: pools(pool(undefined, "rhel-10")), payload });
  expect(termination.detail).toBe("4 images are on the node");
  expect(new Set(pulled)).toEqual(new Set([release, ...ofRhel9]));
});

test("When a node has the images of its OS stream, a check should not miss those of the other", async () => {
  const { termination } = await runOn({ api: pools(pool(undefined, "rhel-9")), program: "check.sh" });
  expect(termination).toEqual({ reason: "Checked", image: "", detail: "" });
});

/** The InternalReleaseImage of a cluster, with one release. */
const internal = (bundle: object, version = "v1") => ({
  [`${version}/internalreleaseimages/cluster`]: { status: { releases: [bundle] } },
});
const available = [
  { type: "Available", status: "True" },
  { type: "Degraded", status: "False" },
];
const image = `api-int.sno1.example:22625/openshift/release-images@${digestOf("0")}`;
const app = `quay.io/acme/app@${digestOf("9")}`;

test.for<Readonly<{ what: string; given: OfCluster; pulls: readonly string[] }>>([
  { what: "it by digest", given: { api: internal({ image, conditions: available }) }, pulls: [] },
  {
    what: "it by version and architecture",
    given: {
      api: internal({ name: "ocp-release-bundle-4.22.1-x86_64", conditions: available }, "v1alpha1"),
      content: { "platform.image": "quay.io/ocp/release:4.22.1-x86_64\n" },
    },
    pulls: [],
  },
  {
    what: "it, and other images are wanted",
    given: {
      api: internal({ image, conditions: available }),
      content: { additionalImages: `${app}\n` },
      isWhole: true,
    },
    pulls: [app],
  },
  {
    what: "it not completely",
    given: { api: internal({ image, conditions: [{ type: "Installing", status: "True" }] }), isWhole: true },
    pulls: [release, ...all],
  },
  {
    what: "it degraded",
    given: { api: internal({ image, conditions: available.map(({ type }) => ({ type, status: "True" })) }) },
    pulls: [release, ...all],
  },
  {
    what: "another release",
    given: { api: internal({ image: image.replace("@sha256:0", "@sha256:1"), conditions: available }) },
    pulls: [release, ...all],
  },
])(
  "When an InternalReleaseImage has $what, only what it lacks should be pulled",
  async ({ given, pulls }) => {
    // Without anything to pull, no space is needed.
    const spaceRequired = pulls.length > 0 ? "1" : "99999";
    const content = { ...given.content, spaceRequired };
    const { code, termination, pulled, log } = await runOn({ ...given, content });
    expect([code, termination.reason], log).toEqual([0, "Completed"]);
    expect(new Set(pulled)).toEqual(new Set(pulls));
    const note = "the registry on the nodes has the release (InternalReleaseImage): it is not pulled";
    expect(termination.detail?.includes(note)).toBe(!pulls.includes(release));
  },
);
