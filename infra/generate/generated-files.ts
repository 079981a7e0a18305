import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { customResourceDefinition, type KindDefinition } from "#shared/domain/issues/kind-definition.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { reportFields } from "#shared/domain/precache-model/precaching-report.ts";
import { readinessFields } from "#shared/domain/ready/record/readiness-report.ts";
import { windowDefinition } from "#shared/domain/windows/window-definition.ts";
import type { FunctionManifest } from "#shared/runtime/function-manifest.ts";
import { consoleWatches } from "../../console/server/watched-hub.ts";
import { table } from "../documents/generated-part.ts";
import { dashboardFiles } from "./dashboard-files.ts";
import {
  camelCase,
  type DeployedFunction,
  filledTemplate,
  functionManifests,
  isWatched,
  queueUrlVariable,
  visibilitySeconds,
} from "./manifests.ts";
import { commentLines, listedByTick, queueVariables, ruleLines, rulesFor, watchesOf } from "./yaml-text.ts";

const definitions: readonly KindDefinition[] = [
  windowDefinition,
  {
    about:
      "What hubrelay records about the clusters of a ClusterGroupUpgrade besides their states; see docs/reference/precaching.md.",
    kind: kinds.PreCachingReport,
    shortName: "pcr",
    columns: [
      { name: "Revision", type: "string", jsonPath: ".revision" },
      { name: "Written", type: "date", jsonPath: ".written" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    fields: reportFields,
  },
  {
    about:
      "Whether mirrors have what a ClusterGroupUpgrade pre-caches; see docs/how-to/ready-before-the-window.md.",
    kind: kinds.ReadinessReport,
    shortName: "rdy",
    columns: [
      { name: "Ready", type: "string", jsonPath: ".ready" },
      { name: "Reason", type: "string", jsonPath: ".reason" },
      { name: "Since", type: "date", jsonPath: ".since" },
      { name: "Message", type: "string", jsonPath: ".message", priority: 1 },
    ],
    fields: readinessFields,
  },
];

function crdFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    definitions.map((one) => {
      const head = commentLines(`${one.about} By \`npm run generate\`, from the kind's fields.`);
      const text = stringify(customResourceDefinition(one), { lineWidth: 120, aliasDuplicateObjects: false });
      return [`infra/crds/${one.kind.plural}.yaml`, `${head.join("\n")}\n${text}`];
    }),
  );
}

const marks = {
  start: /From \S+, by `npm run generate`:/,
  end: "Until here by `npm run generate`.",
} as const;

function withGeneratedBlock(path: string, text: string, generated: readonly string[]): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => marks.start.test(line));
  const end = lines.findIndex((line) => line.includes(marks.end));
  if (start < 0 || end < start)
    throw new Error(`${path} lacks the comments "${marks.start.source}" and "${marks.end}"`);
  const indent = lines[start]?.match(/^ */)?.[0];
  return [
    ...lines.slice(0, start + 1),
    ...generated.map((line) => `${indent}${line}`),
    ...lines.slice(end),
  ].join("\n");
}

const kubernetes = "infra/kubernetes";
const awsQueues = "https://sqs.eu-central-1.amazonaws.com/123456789012/hubrelay-prod-";
const ownQueues = "https://sqs.example.com/000000000000/";
const memoryQueues = "http://127.0.0.1:9324/000000000000/";

const queueOf = ({ queue }: FunctionManifest) => queue;
const indented = (lines: readonly string[], indent: string) =>
  lines.map((line) => `${indent}${line}`).join("\n");

function filesOf(manifests: readonly DeployedFunction[]): Readonly<Record<string, string>> {
  const ofAll = (made: (manifest: DeployedFunction) => string) =>
    manifests.map((manifest) => `${made(manifest).trimEnd()}\n`).join("---\n");
  const worker = (manifest: DeployedFunction) => {
    const queues = [...new Set([manifest.queue, ...(manifest.sendsTo ?? [])])];
    const queueVariablesOf = indented(queueVariables(queues), " ".repeat(12));
    return filledTemplate("worker.yaml", manifest, { queueVariables: queueVariablesOf });
  };
  const scaledBy = (template: string) => (manifest: DeployedFunction) =>
    filledTemplate("scaled-object.yaml", manifest, { trigger: filledTemplate(template, manifest).trimEnd() });
  const accounts = manifests.map((manifest) => {
    const { name, hubRole } = manifest;
    const account = filledTemplate("account.yaml", manifest, {
      head: commentLines(`functions/${name}: ${hubRole.why}`).join("\n"),
      rules: indented(ruleLines(hubRole.rules), "  "),
    });
    return [`infra/hub-rbac/${name}.yaml`, account];
  });
  return {
    ...Object.fromEntries(accounts),
    [`${kubernetes}/base/workers.yaml`]: ofAll(worker),
    [`${kubernetes}/components/keda/scaled-objects.yaml`]: ofAll(scaledBy("prometheus-trigger.yaml")),
    [`${kubernetes}/components/keda-sqs/scaled-objects.yaml`]: ofAll(scaledBy("sqs-trigger.yaml")),
  };
}

function queueTable(manifests: readonly FunctionManifest[]): readonly string[] {
  const rows = manifests.map((manifest) => {
    const { name, queue, queueHolds, batch, timeoutSeconds } = manifest;
    const senders = manifests.filter((other) => other !== manifest && other.sendsTo?.includes(queue));
    const sentBy = [
      ...(isWatched(manifest) ? ["`hubrelay forward`", "the resync tick"] : []),
      ...senders.map((sender) => `\`${sender.name}\``),
    ];
    const ends = [
      `\`${name}\``,
      String(batch?.size ?? 10),
      `${timeoutSeconds} s`,
      `${visibilitySeconds(manifest)} s`,
    ];
    return [`\`${queue}\``, queueHolds, sentBy.join(", "), ...ends];
  });
  const head = ["queue", "messages", "sent by", "function", "batch", "timeout", "visibility timeout"];
  return table(head, rows).split("\n");
}

function blocks(
  root: string,
  manifests: readonly FunctionManifest[],
): Readonly<Record<string, readonly string[]>> {
  const names = manifests.map(({ name }) => name);
  const watched = manifests.filter(isWatched);
  const watches = watchesOf(root, watched);
  const settings = (of: readonly FunctionManifest[], prefix: string) =>
    of.map(({ queue }) => `${queueUrlVariable(queue)}=${prefix}${queue}`);
  const resources = names.map((name) => `- ${name}.yaml`);
  const pods = names.map((name) => `- hubrelay-${name}`);
  const inMemory = Object.fromEntries(manifests.map(({ queue }) => [queue, `${memoryQueues}${queue}`]));
  const senderVariables = queueVariables(watched.map(queueOf));
  const allVariables = queueVariables(manifests.map(queueOf));
  return {
    "infra/hub-rbac/kustomization.yaml": resources,
    "infra/hub-rbac/forwarder.yaml": ruleLines([
      ...rulesFor(
        watches.flatMap((of) => of.watches),
        ["list", "watch"],
      ),
      // At its start the forwarder lists what a resync tick lists, so it needs the same permissions.
      ...rulesFor(
        watches.flatMap(({ ticks }) => ticks?.reads ?? []),
        ["list"],
      ),
    ]),
    "infra/hub-rbac/console.yaml": ruleLines(
      rulesFor(
        consoleWatches.map(({ kind, options: { name } = {} }) => ({
          kind,
          ...(name ? { selector: { name } } : {}),
        })),
        ["list", "watch"],
      ),
    ),
    "infra/hub-rbac/resync.yaml": ruleLines(rulesFor(watches.flatMap(listedByTick), ["list"])),
    [`${kubernetes}/base/resync.yaml`]: senderVariables,
    [`${kubernetes}/forwarder/forwarder.yaml`]: senderVariables,
    [`${kubernetes}/base/forwarder-queues.yaml`]: allVariables,
    [`${kubernetes}/run/run.yaml`]: pods,
    [`${kubernetes}/run/settings.env`]: [`HUBRELAY_QUEUE_URLS=${JSON.stringify(inMemory)}`],
    [`${kubernetes}/components/prometheus/pod-monitor.yaml`]: pods,
    [`${kubernetes}/components/prometheus/network-policy.yaml`]: pods,
    [`${kubernetes}/overlays/forwarder/settings.env`]: settings(watched, awsQueues),
    [`${kubernetes}/overlays/aws-sqs/settings.env`]: settings(manifests, awsQueues),
    [`${kubernetes}/overlays/aws-sqs/roles.yaml`]: manifests.flatMap((manifest) =>
      filledTemplate("account-role.yaml", manifest).trimEnd().split("\n"),
    ),
    [`${kubernetes}/overlays/sqs-endpoint/settings.env`]: settings(manifests, ownQueues),
    "docs/reference/environment.md": ["", ...queueTable(manifests), ""],
  };
}

/** A bundle cannot search folders, so two modules import each function by its name. */
function lists(manifests: readonly FunctionManifest[]): Readonly<Record<string, string>> {
  const made = "// Generated by `npm run generate` from functions/*/manifest.ts.\n";
  const imports = (all: readonly FunctionManifest[], file: string, ending = "") =>
    all.map(({ name }) => `import { ${camelCase(name)}${ending} } from "./${name}/${file}";\n`).join("");
  const items = (all: readonly FunctionManifest[], ending = "") =>
    `[\n${all.map(({ name }) => `  ${camelCase(name)}${ending},\n`).join("")}];\n`;
  const watched = manifests.filter(isWatched);
  return {
    "functions/controllers.ts": `${made}import type { Controller } from "#shared/runtime/controller.ts";
${imports(manifests, "controller.ts")}
/** All controllers: workers run them, and \`hubrelay verify\` evaluates them. */
export const controllers: readonly Controller[] = ${items(manifests)}`,
    "functions/watches.ts": `${made}import type { Watches } from "#shared/runtime/controller.ts";
${imports(watched, "watches.ts", "Watches")}
/**
 * The watches of the functions in \`controllers.ts\`, without the functions themselves, for the forwarder and the resync
 * tick. Functions that are triggered only by other functions are not included.
 */
export const allWatches: readonly Watches[] = ${items(watched, "Watches")}`,
  };
}

/** Returns the content of every generated file of a repository. The key is the path relative to the root. */
export function generatedFiles(root: string): Readonly<Record<string, string>> {
  const manifests = functionManifests(root);
  const whole = { ...lists(manifests), ...crdFiles(), ...dashboardFiles(), ...filesOf(manifests) };
  const parts = Object.entries(blocks(root, manifests)).map(([path, lines]) => [
    path,
    withGeneratedBlock(path, readFileSync(join(root, path), "utf8"), lines),
  ]);
  return { ...whole, ...Object.fromEntries(parts) };
}
