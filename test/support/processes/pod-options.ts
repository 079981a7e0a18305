import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../../../infra/paths.ts";

const percentage = /--max-old-space-size-percentage=(\d+)/;

/** Returns the memory limit of a pod in MiB, and the options that Node gets in it; `file` is its manifest in infra/kubernetes. */
export async function podOptions(file: string): Promise<Readonly<{ limitMiB: number; nodeOptions: string }>> {
  const manifest = join(paths.root, "infra/kubernetes", file);
  const text = await readFile(manifest, "utf8");
  const [, limit] = /limits: \{ memory: (\d+)Mi/.exec(text) ?? [];
  const [, options = ""] = /name: NODE_OPTIONS\n\s+value: (.+)/.exec(text) ?? [];
  const limitMiB = Number(limit);
  if (!limit || !percentage.test(options))
    throw new Error(`${manifest} has no memory limit, or no NODE_OPTIONS`);
  // A process of a test has no limit of its own, of which Node could take the share.
  const heap = (_: string, share: string) => `--max-old-space-size=${(limitMiB * Number(share)) / 100}`;
  return { limitMiB, nodeOptions: options.replace(percentage, heap) };
}
