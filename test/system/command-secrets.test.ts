import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packageFile } from "../../cli/program/package-files.ts";
import { leakFinder, plantedManifests } from "../support/messages/planted-manifests.ts";
import { hubrelay } from "./cli-in-process.ts";

const examples = packageFile("examples/hub");
const image = `quay.io/acme/app@sha256:${"a".repeat(64)}`;
/** What people run in a pipeline, whose output others read. */
const commands: readonly (readonly string[])[] = [
  ["validate", "-f", "-", "-o", "sarif"],
  ["render", "-f", "-", "-o", "json"],
  ["render", "-f", "-", "--explain"],
  ["convert", "-f", "-", "--check"],
  ["explain", "-f", "-", image, "-o", "json"],
  ["diff", "-", examples, "-o", "markdown"],
  ["hosted", "-f", "-", "-o", "json"],
  ["hosted", "explain", "-f", "-", image],
  ["import", examples, "-f", "-", "-o", "json"],
  ["precache", "plan", "-f", "-", "-o", "json"],
  ["precache", "status", "-f", "-", "-o", "wide"],
  // No registry is asked for an image that has a scheme.
  ["ready", "-f", "-", "--image", "https://quay.io/acme/app", "-o", "json"],
  ["windows", "-f", "-"],
  ["verify", "-f", "-", "-o", "json"],
];

/** Returns standard output without the content for programs that security.md exempts, which is as the objects have it. */
function withoutContent([name = "", ...args]: readonly string[], stdout: string): string {
  const format = args.at(-1) ?? "";
  if (name !== "render" || format !== "json" || stdout === "") return stdout;
  const { files, ...shown } = JSON.parse(stdout);
  expect(files).toBeInstanceOf(Array);
  return JSON.stringify(shown, null, 2);
}

describe("commands", () => {
  test.for(
    commands.map((command) => ({ command, line: command.filter((one) => one !== examples).join(" ") })),
  )(
    "When hubrelay $line reads a credential of any known form, no output should contain it",
    async ({ command }) => {
      await fc.assert(
        fc.asyncProperty(plantedManifests(), async (manifests) => {
          const stdin = manifests.map(({ object }) => JSON.stringify(object, null, 2)).join("\n---\n");
          // On a terminal issues show lines of the manifests, too.
          for (const columns of [undefined, 1_000]) {
            const { stdout, stderr } = await hubrelay(command, { stdin, ...(columns && { columns }) });
            expect(leakFinder(manifests)(withoutContent(command, stdout) + stderr)).toEqual([]);
          }
        }),
        { numRuns: 1, endOnFailure: true },
      );
    },
  );
});
