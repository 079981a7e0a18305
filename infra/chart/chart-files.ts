import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import * as z from "zod";
import { byCodeUnit, fieldsOf, isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { FunctionManifest } from "#shared/runtime/function-manifest.ts";
import packageJson from "../../package.json" with { type: "json" };
import { table } from "../documents/generated-part.ts";
import { functionManifests, isWatched, queueUrlVariable } from "../generate/manifests.ts";
import { paths } from "../paths.ts";
import { marks, overlayObjects, templatedObject, withEnvironmentOf } from "./chart-objects.ts";
import { chartValues } from "./values.ts";

function withTemplates(text: string): string {
  const included = (_: string, spaces: string, what: string) => {
    const [name, ...parameters] = what.split(" ");
    const quoted = parameters.map((parameter) => ` ${JSON.stringify(parameter)}`).join("");
    return `${spaces}{{- include "hubrelay.${name}" (list .${quoted}) | nindent ${spaces.length} }}`;
  };
  const mark = new RegExp(`^( *)(?:- )?"?(?:${marks.key}: |${marks.item})(?:'|")?(.*?)(?:'|")?$`, "gm");
  return text
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll("<<", "{{ ")
    .replaceAll(">>", " }}")
    .replace(mark, included);
}

function templateOf(objects: readonly KubernetesObject[], condition: string): string {
  const documents = objects.map((object) =>
    withTemplates(stringify(templatedObject(object), { lineWidth: 0, aliasDuplicateObjects: false })),
  );
  const text = documents.join("---\n");
  const head = "# Made from the manifests of the overlays.\n";
  return condition ? `${head}{{- if ${condition} }}\n${text}{{- end }}\n` : `${head}${text}`;
}

const kubernetes = "infra/kubernetes";

const chartManifest = (version: string): string =>
  stringify({
    apiVersion: "v2",
    name: "hubrelay",
    description: packageJson.description,
    type: "application",
    version,
    appVersion: version,
    kubeVersion: ">=1.30.0-0",
    home: packageJson.homepage,
  });

const isQueues = 'eq .Values.engine "queues"';
const isRun = 'eq .Values.engine "run"';
const both = (...conditions: readonly string[]) =>
  conditions.length > 1 ? `and ${conditions.map((one) => `(${one})`).join(" ")}` : conditions.join("");

type Source = Readonly<{ path: string; condition: string; function?: string }>;

function sources(functions: readonly string[]): readonly Source[] {
  const rbac = (name: string, condition = "") => ({ path: `infra/hub-rbac/${name}.yaml`, condition });
  const part = (path: string, condition: string) => ({ path: `${kubernetes}/${path}.yaml`, condition });
  const of = (name: string, path: string, condition: string) => ({
    ...part(path, condition),
    function: name,
  });
  const component = (name: string, files: readonly string[], condition: string) =>
    files.map((file) => part(`components/${name}/${file}`, condition));
  const has = (name: string) => `has "${name}" .Values.functions`;
  const scaledBy = (trigger: string) => [
    isQueues,
    ".Values.keda.enabled",
    `eq .Values.keda.trigger "${trigger}"`,
  ];
  return [
    ...["forwarder", "resync", "console"].map((name) => rbac(name)),
    ...["write-guard", "write-guard-manifestworks", "write-guard-values"].map((name) => rbac(name)),
    ...functions.map((name) => rbac(name, has(name))),
    rbac("hosted-clusters-control-plane", has("hosted-clusters")),
    part("forwarder/network-policies", ""),
    part("run/run", isRun),
    part("base/resync", isQueues),
    ...functions.map((name) => of(name, "base/workers", both(isQueues, has(name)))),
    part("components/keda/authentication", both(...scaledBy("prometheus"))),
    ...functions.flatMap((name) => [
      of(name, "components/keda/scaled-objects", both(...scaledBy("prometheus"), has(name))),
      of(name, "components/keda-sqs/scaled-objects", both(...scaledBy("sqs"), has(name))),
    ]),
    ...component(
      "own-hosted-clusters",
      ["guard", "role"],
      both(".Values.ownHostedClusters", has("hosted-clusters")),
    ),
    ...component("console", ["network-policy"], ".Values.console.enabled"),
    ...component("prometheus", ["alerts", "network-policy", "pod-monitor"], ".Values.alerts.enabled"),
    part("dashboards/grafana/config-map", ".Values.dashboards.grafana"),
    part("dashboards/openshift/config-map", ".Values.dashboards.openshift"),
    ...component("flow-control", ["flow-control"], ".Values.flowControl"),
    ...component("trusted-ca", ["config-map"], ".Values.trustedCA"),
    ...["maintenancewindows", "precachingreports", "readinessreports"].map((name) => ({
      path: `infra/crds/${name}.yaml`,
      condition: ".Values.crds",
    })),
  ];
}

const variablesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );

function settingsTemplate(read: (path: string) => string, manifests: readonly FunctionManifest[]): string {
  const general = variablesIn(read(`${kubernetes}/forwarder/settings.env`));
  const inMemory = variablesIn(read(`${kubernetes}/run/settings.env`));
  const queueNames = (of: readonly FunctionManifest[]) =>
    Object.fromEntries(of.map(({ queue }) => [queueUrlVariable(queue), queue]));
  const defined = (name: string, value: unknown) =>
    `{{- define "hubrelay.${name}" -}}\n${stringify(value, { lineWidth: 0 })}{{- end }}\n`;
  return [
    defined("generalSettings", general),
    defined("settingsInMemory", inMemory),
    defined("queues", queueNames(manifests)),
    defined("watchedQueues", queueNames(manifests.filter(isWatched))),
    defined(
      "allFunctions",
      manifests.map(({ name }) => name),
    ),
  ].join("");
}

function settingNames(page: string, manifests: readonly FunctionManifest[]): readonly string[] {
  const cells = [...page.matchAll(/^\| (`[A-Z].*?) \|/gm)].map(([, cell = ""]) => cell);
  const documented = cells.flatMap((cell) =>
    [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = ""]) => name),
  );
  return [
    ...documented,
    "NODE_EXTRA_CA_CERTS",
    ...manifests.map(({ queue }) => queueUrlVariable(queue)),
  ].sort(byCodeUnit);
}

type Described = Readonly<{ path: string; description: string; value: unknown }>;

function described(schema: unknown, defaults: unknown, path = ""): readonly Described[] {
  return Object.entries(fieldsOf(fieldsOf(schema).properties)).flatMap(([name, field]) => {
    const { description, properties } = fieldsOf(field);
    const value = fieldsOf(defaults)[name];
    const at = path ? `${path}.${name}` : name;
    return description === undefined && isRecord(properties)
      ? described(field, value, at)
      : [{ path: at, description: String(description), value }];
  });
}

/** Returns the files of the Helm chart by path. They are made from the manifests that Kustomize deploys. */
export function chartFiles(): Readonly<Record<string, string>> {
  const read = (path: string) => readFileSync(join(paths.root, path), "utf8");
  const manifests = functionManifests(paths.root);
  const functions = manifests.map(({ name }) => name).sort(byCodeUnit);
  const objectsAt = (path: string): readonly KubernetesObject[] => overlayObjects(path, read(path));
  const forwarder = `${kubernetes}/forwarder/forwarder.yaml`;
  const pages = `${kubernetes}/components/console/console.yaml`;
  const objectsOf = ({ path, function: name }: Source) =>
    objectsAt(path).filter(({ metadata }) => name === undefined || metadata.name === `hubrelay-${name}`);
  const installed = [...sources(functions).flatMap(objectsOf), ...[forwarder, pages].flatMap(objectsAt)];
  const namesOf = (...kinds: readonly string[]) =>
    installed.flatMap(({ kind, metadata }) => (kinds.includes(kind) ? [metadata.name] : []));
  const values = chartValues({
    functions,
    settings: settingNames(read("docs/reference/environment.md"), manifests),
    accounts: namesOf("ServiceAccount"),
    workloads: namesOf("Deployment", "CronJob"),
  });
  const schema = z.toJSONSchema(values, { io: "input" });
  const defaults = values.parse({});
  const rows = described(schema, defaults);
  const templateAt = ({ path, function: name }: Source) => {
    const ofFunction = name === undefined ? path : join(dirname(path), `${name}.yaml`);
    const within = ofFunction.replace(/^infra\/(?:kubernetes\/(?:components\/)?)?/, "");
    return `templates/${within.replaceAll("/", "-")}`;
  };
  const templates = sources(functions).map((source) => [
    templateAt(source),
    templateOf(objectsOf(source), source.condition),
  ]);
  const queues = `${kubernetes}/base/forwarder-queues.yaml`;
  const [queuesPatch] = objectsAt(queues);
  if (!queuesPatch) throw new Error(`${queues} has no patch`);
  const withQueues = objectsAt(forwarder).map((object) => withEnvironmentOf(object, queuesPatch));
  const apart = {
    "forwarder-alone": templateOf(objectsAt(forwarder), 'eq .Values.engine "forwarder"'),
    "forwarder-queues": templateOf(withQueues, isQueues),
    console: templateOf(objectsAt(pages), ".Values.console.enabled"),
  };
  const own = (path: string) => read(`infra/chart/${path}`);
  const ownTemplates = readdirSync(join(import.meta.dirname, "templates")).sort(byCodeUnit);
  const valueRows = rows.map(({ path, description, value }) => [
    `\`${path}\``,
    `${description}.`,
    path === "functions" ? "all" : `\`${JSON.stringify(value)}\``,
  ]);
  return {
    ...Object.fromEntries(templates),
    ...Object.fromEntries(Object.entries(apart).map(([name, text]) => [`templates/${name}.yaml`, text])),
    ...Object.fromEntries(ownTemplates.map((name) => [`templates/${name}`, own(`templates/${name}`)])),
    "templates/_settings.tpl": settingsTemplate(read, manifests),
    ".helmignore": own(".helmignore"),
    "Chart.yaml": chartManifest(packageJson.version),
    "values.schema.json": `${JSON.stringify(schema, null, 2)}\n`,
    "values.yaml": `# README.md says what each is.\n${stringify(defaults)}`,
    "README.md": own("readme.md")
      .replace("{{version}}", packageJson.version)
      .replace("{{values}}", table(["value", "means", "default"], valueRows).trimEnd()),
  };
}

/** Writes the files of the Helm chart into a folder. */
export async function writeChart(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(chartFiles())) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
