import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { packageFile } from "../../cli/program/package-files.ts";
import { hubrelay } from "../system/cli-in-process.ts";
import { mutatedManifests } from "./mutated-manifests.ts";
import { seeds } from "./seeds.ts";

const examples = packageFile("examples/hub");
const objects = [examples, packageFile("examples/fleet")].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .flatMap((file) => readManifests(readFileSync(join(folder, file), "utf8"), file).objects)
    .map(({ object }) => object),
);
const image = `quay.io/acme/app@sha256:${"a".repeat(64)}`;

/** Every command that reads manifests from standard input. */
const commands: readonly (readonly string[])[] = [
  ["validate", "-f", "-"],
  ["validate", "-f", "-", "--release-version", "4.18"],
  ["render", "-f", "-"],
  ["convert", "-f", "-"],
  ["explain", "-f", "-", image],
  ["diff", "-", examples],
  ["hosted", "-f", "-"],
  ["precache", "plan", "-f", "-"],
  ["precache", "status", "-f", "-"],
  ["import", examples, "-f", "-"],
  ["ready", "-f", "-", "--image", `127.0.0.1:1/acme/app@sha256:${"a".repeat(64)}`, "--disconnected"],
  ["ready", "-f", "-", "--hosted", "clusters/shop", "--image", "https://quay.io/a"],
  ["windows", "-f", "-"],
  ["verify", "-f", "-"],
];

test.for(commands.map((command) => ({ command, line: command.filter((one) => one !== examples).join(" ") })))(
  "When hubrelay $line reads hostile objects, it should end with its exit codes and without a stack",
  async ({ command }) => {
    const write = (document: unknown) => JSON.stringify(document, null, 2) ?? "";
    await fc.assert(
      fc.asyncProperty(mutatedManifests([...objects, ...seeds], write), async (stdin) => {
        const { stderr, exitCode } = await hubrelay(command, { stdin });
        expect([0, 1, 2]).toContain(exitCode);
        expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
      }),
      { numRuns: 15 },
    );
  },
);
