import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { deadLetterAttributes } from "#shared/domain/plan/dead-letter.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { reportsFor } from "../support/precache/precache-snapshots.ts";
import { aPlannedUpgrade } from "../support/precache/precache-system.ts";
import { aWindow } from "../support/precache/precache-windows.ts";
import { aDeployment } from "../support/processes/deployment.ts";
import { aReadinessReport } from "../support/ready/readiness-reports.ts";
import { kubeConfigFor, respondJson, respondStatus, scriptedApi } from "../support/servers/scripted-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

/** Sets the window title, sets colours with C1 controls, reverses the text direction, and breaks lines. */
const hostile = "\u001b]0;owned\u0007\u009b31m\u202e\u2066\u200f\u061c\u2028\u2029\u007f\r\nforged: ";
/** A person's own argument may contain lines. */
const hostileArgument = hostile.slice(0, hostile.indexOf("\r"));
/** The part that a queue accepts. */
const hostileInQueues = "\u009b31m\u202e\u2066\u2028";
/** The escaped form. */
const shown = "\\u202e";
const raw = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Appends the hostile text to every text in a value. */
function poisoned(value: unknown): unknown {
  if (typeof value === "string") return value + hostile;
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, poisoned(field)]));
}

/** The object with hostile texts where they affect its meaning least. */
function withHostileMetadata(object: KubernetesObject): KubernetesObject {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, "example.com/note": hostile };
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, note: hostile }, annotations },
  };
}

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));
const files = (await readdir(examples)).sort();
const exampleObjects = (
  await Promise.all(
    files.map(async (file) => readManifests(await readFile(join(examples, file), "utf8"), file)),
  )
).flatMap(({ objects }) => objects.map(({ object }) => object));

/** A fleet whose clusters, reasons and messages are hostile. */
function fleet(): readonly KubernetesObject[] {
  const names = ["sno1", "sno2", "sno3", "sno4"].map((name) => name + hostile);
  const cgu = aPlannedUpgrade(names);
  const since = "2026-03-01T02:00:00Z";
  const one = { reason: `Pull${hostile}`, message: `quay.io/a${hostile}: unauthorized`, attempt: 1, since };
  const states = ["UnrecoverableError", "Active", "Succeeded"] as const;
  const records = Object.fromEntries(
    states.map((state, index) => [names[index], { state, ...one } as Partial<ClusterRecord>]),
  );
  return [
    cgu,
    ...reportsFor(cgu, records),
    aReadinessReport(cgu, { [`quay.io/a${hostile}`]: "missing" }, since, {
      problems: [{ text: `no${hostile}`, isMissing: true }],
    }),
  ];
}

const isSingleton = ({ metadata }: KubernetesObject) => ["cluster", "version"].includes(metadata.name);
const objects = [
  ...exampleObjects.map(withHostileMetadata),
  ...fleet(),
  aWindow("night"),
  aWindow("odd", { schedule: `0 1 * * ${hostile}`, timeZone: `UTC${hostile}` }),
];
/** Every text of these is hostile, except for the kinds. */
const fullyPoisoned = objects.map(({ apiVersion, kind, metadata, ...rest }): KubernetesObject => {
  const { name, namespace } = metadata;
  const place = { name: `${name}-three`, ...(namespace ? { namespace } : {}) };
  return { apiVersion, kind, metadata: place, ...Object(poisoned(rest)) };
});
/** Content that only a malicious hub can have: hostile names, too. */
const misnamed = objects
  .filter((object) => !isSingleton(object))
  .map((object) => ({ ...object, metadata: { ...object.metadata, name: object.metadata.name + hostile } }));

const everything = [...objects, ...fullyPoisoned, ...misnamed];

async function manifests(): Promise<string> {
  const folder = await temporaryFolder();
  const list = { apiVersion: "v1", kind: "List", items: everything };
  await writeFile(join(folder, "all.json"), JSON.stringify(list));
  return folder;
}

/** The environment of a hub that is hostile in everything; `refuses` makes it refuse everything. */
async function aHostileHub(refuses = false): Promise<Readonly<Record<string, string>>> {
  const { url } = await scriptedApi(({ method, path, body }, response) => {
    if (refuses)
      return respondStatus(response, 403, "Forbidden", {
        message: `User "a" cannot get resource "${hostile}"`,
      });
    if (path === "/version") return respondJson(response, 200, { gitVersion: `v1.33.2${hostile}` });
    if (path.endsWith("/selfsubjectreviews"))
      return respondJson(response, 201, { status: { userInfo: { username: `jo${hostile}` } } });
    if (path.endsWith("accessreviews"))
      return respondJson(response, 201, { status: { allowed: false, reason: hostile } });
    if (method !== "GET") return respondJson(response, 200, JSON.parse(body));
    const [plural = "", name] = path.split("/").slice(path.includes("/namespaces/") ? -2 : -1);
    const list = path.replace(/\/namespaces\/[^/]+(?=\/[^/]+$)/, "");
    const kind = Object.values(kinds).find((one) => list.endsWith(`/${one.apiVersion}/${one.plural}`));
    const ofKind = everything.filter(
      (object) => object.kind === kind?.kind && object.apiVersion === kind.apiVersion,
    );
    const items = ofKind.map((object, index) => ({
      ...object,
      metadata: { uid: String(index), resourceVersion: "1", ...object.metadata },
    }));
    if (kind)
      return respondJson(response, 200, {
        kind: `${kind.kind}List`,
        metadata: { resourceVersion: "1" },
        items,
      });
    return respondStatus(response, 404, "NotFound", { message: `no ${plural} ${name ?? ""} ${hostile}` });
  });
  const folder = await temporaryFolder();
  await writeFile(join(folder, "kubeconfig"), kubeConfigFor(url, { token: "one" }).exportConfig());
  return { KUBECONFIG: join(folder, "kubeconfig") };
}

/** Queues with a hostile message. */
async function hostileDeadLetters() {
  const { messaging, environment } = await aDeployment([], { queues: ["mirror-configs"] });
  const deadLetters = messaging.deadLetters("mirror-configs");
  const attributes = {
    [deadLetterAttributes.reason]: `no ${hostileInQueues}`,
    [deadLetterAttributes.function]: `function ${hostileInQueues}`,
  };
  await deadLetters.send([{ body: `body ${hostileInQueues}`, attributes }]);
  return environment;
}

type Run = Readonly<{
  args: readonly string[];
  variables?: Readonly<Record<string, string>>;
  cwd?: string;
}>;

const image = `quay.io/ns/app@sha256:${"a".repeat(64)}`;
/** Nothing listens there. */
const unreachableImage = `127.0.0.1:1/ns/app@sha256:${"a".repeat(64)}`;
const onHub = async (args: readonly string[]): Promise<Run> => ({ args, variables: await aHostileHub() });
const onFiles = async (args: readonly string[]): Promise<Run> => ({
  args: [...args, "-f", await manifests()],
});
const both = (...args: readonly string[]) => [() => onHub(args), () => onFiles(args)];
/** Commands that write a log of JSON lines, which is for machines: only their usage errors are text. */
const misconfigured = (command: string) => async (): Promise<Run> => ({
  args: [command, "--function", `mirror-config${hostile}`],
});

/** Text that YAML allows in quotes, where it is escaped. */
async function onHostileSettings(): Promise<Run> {
  const folder = await temporaryFolder();
  const accept = [
    { code: "InvalidSource", paths: [`a${hostile}`], until: "2026-12-31", reason: `why${hostile}` },
  ];
  await writeFile(join(folder, ".hubrelay.yaml"), JSON.stringify({ accept, exclude: [`b${hostile}`] }));
  return { args: ["config"], cwd: folder };
}

/** The input of every command; a new command needs a row. */
const runs: Readonly<Record<string, readonly (() => Promise<Run>)[]>> = {
  validate: both("validate"),
  render: [
    ...both("render", "--explain"),
    async () => ({ args: ["render", `--${hostileArgument}`] }),
    async () => ({ args: ["render", "-f", `/nowhere/${hostile}`] }),
  ],
  config: [onHostileSettings],
  "config propose": [async () => ({ args: ["config", "propose", "-f", `/nowhere/${hostile}`] })],
  explain: [() => onHub(["explain", image]), () => onFiles(["explain", `quay.io/${hostile}`])],
  diff: [
    async () => ({ args: ["diff", "hub", await manifests()], variables: await aHostileHub() }),
    async () => ({ args: ["diff", examples, await manifests()] }),
  ],
  convert: [
    ...both("convert", "--check"),
    () =>
      onFiles(["convert", "--dir", "out"]).then(async (run) => ({ ...run, cwd: await temporaryFolder() })),
  ],
  // `dev --simulate` reads nothing.
  dev: [async () => ({ args: ["dev", "--once", "--from", await manifests()], cwd: await temporaryFolder() })],
  hosted: [...both("hosted"), () => onHub(["hosted", `shop${hostile}`])],
  "hosted explain": both("hosted", "explain", image),
  import: [
    async () => ({ args: ["import", await manifests()], variables: await aHostileHub() }),
    async () => onFiles(["import", await manifests()]),
  ],
  ready: [
    ...both("ready", "--image", unreachableImage),
    () => onFiles(["ready", "--image", `quay.io/${hostile}`]),
  ],
  verify: [...both("verify"), async () => ({ args: ["verify"], variables: await aHostileHub(true) })],
  doctor: [() => onHub(["doctor"])],
  console: [
    async () => ({ args: ["console", "--address", hostile] }),
    async () => ({
      args: ["console"],
      variables: { HUBRELAY_HUB: `kubeconfig:/nowhere/${hostileArgument}` },
    }),
  ],
  "precache plan": both("precache", "plan"),
  "precache status": both("precache", "status"),
  "precache retry": [
    () => onHub(["precache", "retry", "default/upgrade", "--cluster", `sno2${hostile}`]),
    () => onHub(["precache", "retry", "default/upgrade", "--cluster", `sno1${hostile}`]),
  ],
  "precache check": [
    () => onHub(["precache", "check", "default/upgrade", "--cluster", `sno2${hostile}`]),
    () => onHub(["precache", "check", "upgrade", "--cluster", `sno3${hostile}`, "--timeout", "1s"]),
  ],
  windows: [() => onHub(["windows"]), async () => ({ args: ["windows", "-f", `/nowhere/${hostile}`] })],
  version: [async () => ({ args: ["version", `--${hostileArgument}`] })],
  completion: [async () => ({ args: ["completion", "bash", `--${hostileArgument}`] })],
  forward: [async () => ({ args: ["forward", `--${hostileArgument}`] })],
  work: [misconfigured("work")],
  resync: [misconfigured("resync")],
  run: [misconfigured("run")],
  "dlq list": [async () => ({ args: ["dlq", "list"], variables: await hostileDeadLetters() })],
  "dlq replay": [
    async () => ({
      args: ["dlq", "replay", "--queue", hostile],
      variables: await hostileDeadLetters(),
    }),
  ],
};

/** The commands of a help text, without commander's. */
async function commandsIn(...parents: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await hubrelay([...parents, "--help"]);
  const [, list = ""] = stdout.split("\nCommands:\n");
  // Those of the program are in groups, and nothing else of its help begins with a word that is indented.
  const found = parents.length === 0 ? stdout : list.replace(/\n\n.*/s, "");
  const names = [...found.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, name = ""]) => name);
  return names.filter((name) => name !== "help");
}

test("When a command is added, this file should have a row for it", async () => {
  const commands: string[] = [];
  for (const name of await commandsIn()) {
    const below = await commandsIn(name);
    if (below.length === 0 || ["hosted", "completion", "config"].includes(name)) commands.push(name);
    if (name !== "completion") commands.push(...below.map((one) => `${name} ${one}`));
  }
  expect(Object.keys(runs).sort()).toEqual(commands.sort());
});

describe("a terminal", () => {
  test.for(
    Object.entries(runs).flatMap(([command, inputs]) =>
      inputs.map((input, index) => ({ command, number: index + 1, input })),
    ),
  )("When $command reads hostile input ($number), it should escape all of it", async ({ input }) => {
    const { args, ...options } = await input();
    const { stdout, stderr } = await hubrelay(args, options);
    const text = stdout + stderr;
    const found = (text.match(raw) ?? []).filter((unit) => unit !== "\n" && unit !== "\t");
    expect(found.map((unit) => unit.codePointAt(0)?.toString(16))).toEqual([]);
    expect(text).not.toMatch(/^forged/m);
    expect(text).toContain(shown);
  });
});
