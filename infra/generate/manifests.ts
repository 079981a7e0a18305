import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import type { FunctionManifest, HubRole } from "#shared/runtime/function-manifest.ts";

/** Loads a module without a promise, because osls, the deployment tool, does not wait for promises. */
export const loadModule = createRequire(import.meta.url);

/** A function's manifest, and the role of the function on the hub. */
export type DeployedFunction = FunctionManifest & Readonly<{ hubRole: HubRole }>;

/** Returns the manifests in `functions/NAME/manifest.ts`, sorted by name. Throws for an invalid manifest. */
export function functionManifests(root: string): readonly DeployedFunction[] {
  const folders = readdirSync(join(root, "functions")).sort(byCodeUnit);
  const found = folders
    .map((folder) => ({ folder, file: join(root, "functions", folder, "manifest.ts") }))
    .filter(({ file }) => existsSync(file))
    .map(({ folder, file }) => {
      const { manifest, hubRole } = loadModule(file);
      return { folder, deployed: { ...manifest, hubRole: hubRole() } satisfies DeployedFunction };
    });
  const all = found.map(({ deployed }) => deployed);
  for (const { folder, deployed } of found) {
    const problem = manifestProblem(deployed, folder, all);
    if (problem) throw new Error(`functions/${folder}/manifest.ts: ${problem}`);
  }
  return all;
}

function manifestProblem(
  manifest: FunctionManifest,
  folder: string,
  all: readonly FunctionManifest[],
): string | undefined {
  const { name, queue, description, queueHolds, concurrency, alarms, sendsTo = [] } = manifest;
  for (const [field, value] of Object.entries({ name, queue }))
    if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(value))
      return `${field}: "${value}" has more than lower case letters, digits and single dashes.`;
  if (name !== folder) return `name: "${name}" is not the name of its folder.`;
  const other = all.find((one) => one.queue === queue && one.name < name);
  if (other)
    return `queue: "${queue}" is the queue of ${other.name}, too. Fix: give each function a queue of its own.`;
  const queues = all.map((one) => one.queue);
  const unknown = sendsTo.find((one) => !queues.includes(one));
  if (unknown) return `sendsTo: no function has a queue "${unknown}", only ${queues.join(", ")}.`;
  const texts = { description, queueHolds, why: concurrency.why, ...alarms };
  const [field] = Object.entries(texts).find(([, text]) => /["\\\n]|\$\{/.test(text)) ?? [];
  return field && `${field}: a quote, backslash, line break or \${ does not fit into YAML.`;
}

/** Three visibility timeouts must exceed the age alarm's 18 minutes: the age omits messages after three receives. */
const minVisibilitySeconds = 400;

/** Returns a queue's visibility timeout in seconds: at least six batch timeouts, as AWS advises, and ten seconds. */
export const visibilitySeconds = ({ timeoutSeconds }: FunctionManifest): number =>
  Math.max(6 * timeoutSeconds + 10, minVisibilitySeconds);

/** Returns a name in Pascal case, such as `MirrorConfigs` for `mirror-configs`. */
export const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase());
const upperCase = (name: string): string => name.toUpperCase().replaceAll("-", "_");
export const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** Returns the name of the environment variable for the URL of a queue. */
export const queueUrlVariable = (queue: string): string => `${upperCase(queue)}_QUEUE_URL`;

/** Reports whether the forwarder and the resync tick send messages to the function's queue. */
export const isWatched = ({ isWokenByHub = true }: FunctionManifest): boolean => isWokenByHub;

/** Returns the text of a template in `infra/generate` with each `{{NAME}}` replaced by its value. */
export function filledTemplate(
  template: string,
  manifest: FunctionManifest,
  others: Readonly<Record<string, string>> = {},
): string {
  const { name, description, queue, queueHolds, timeoutSeconds, batch, concurrency, alarms } = manifest;
  const values: Readonly<Record<string, string | number>> = {
    function: name,
    Function: pascalCase(name),
    osls: name.replaceAll(/(?:^|-)(\w)/g, (part, letter) =>
      part.startsWith("-") ? `Dash${letter}` : letter.toUpperCase(),
    ),
    description,
    queue,
    Queue: pascalCase(queue),
    QUEUE: upperCase(queue),
    queueHolds,
    timeoutSeconds,
    graceSeconds: timeoutSeconds + 30,
    visibilityTimeout: visibilitySeconds(manifest),
    batchSize: batch?.size ?? 10,
    batchWindow: batch?.windowSeconds ?? 1,
    onLambda: concurrency.onLambda,
    // One more execution is for the function's schedule, which would be throttled while the queue uses all others.
    reserved: concurrency.onLambda + 1,
    pods: concurrency.pods,
    why: concurrency.why,
    messagesPerPod: manifest.messagesPerPod,
    waits: alarms.waits,
    retries: alarms.retries,
    ...others,
  };
  const text = readFileSync(join(import.meta.dirname, template), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (place, key: string) => {
    const value = values[key];
    if (value === undefined)
      throw new Error(`infra/generate/${template} has ${place}, which no function has`);
    return String(value);
  });
}
