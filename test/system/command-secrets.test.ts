import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redacted } from "#shared/domain/credentials/redact.ts";
import { packageFile } from "../../cli/program/package-files.ts";
import { aClusterVersion, anImageConfig } from "../support/hub/objects.ts";
import { aSecret, credentialForms, tracesOf } from "../support/messages/credential-forms.ts";
import { leakFinder, namedLikeSecrets, plantedManifests } from "../support/messages/planted-manifests.ts";
import { scriptedHubApi } from "../support/servers/scripted-hub-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

export const examples = packageFile("examples/hub");
const image = `quay.io/acme/app@sha256:${"a".repeat(64)}`;
const inFormats = (command: readonly string[], ...formats: readonly string[]) =>
  formats.map((format) => [...command, "-o", format]);
/** What people run in a pipeline, whose output others read, in every format. */
export const commands: readonly (readonly string[])[] = [
  ...inFormats(["validate", "-f", "-"], "text", "json", "sarif", "github", "junit"),
  ["validate", "-f", "-", "--issues", "json"],
  ["validate", "-f", "-", "--release-version", "4.18"],
  ...inFormats(["render", "-f", "-"], "registries-conf", "policy-json", "machine-config", "json"),
  ["render", "-f", "-", "--explain"],
  ["render", "-f", "-", "--explain", "-o", "json"],
  ...inFormats(["convert", "-f", "-"], "yaml", "json"),
  ["convert", "-f", "-", "--check"],
  ...inFormats(["explain", "-f", "-", image], "table", "json", "yaml"),
  ...inFormats(["diff", "-", examples], "table", "json", "yaml", "markdown"),
  ...inFormats(["hosted", "-f", "-"], "table", "wide", "name", "json", "yaml"),
  ...inFormats(["hosted", "explain", "-f", "-", image], "table", "json", "yaml"),
  ...inFormats(["import", examples, "-f", "-"], "table", "json", "yaml"),
  ...inFormats(["precache", "plan", "-f", "-"], "table", "name", "json", "yaml"),
  ...inFormats(["precache", "status", "-f", "-"], "table", "wide", "name", "json", "yaml"),
  // No registry is asked for an image that has a scheme.
  ...inFormats(["ready", "-f", "-", "--image", "https://quay.io/acme/app"], "table", "json", "junit"),
  ...inFormats(["windows", "-f", "-"], "table", "wide", "name", "json", "yaml"),
  ...inFormats(["verify", "-f", "-"], "table", "wide", "json", "yaml"),
];

/** Returns standard output without the content for programs that security.md exempts, which is as the objects have it. */
export function withoutContent([name = "", ...args]: readonly string[], stdout: string): string {
  const format = args.at(-1) ?? "";
  if (name === "convert" && ["yaml", "json"].includes(format)) return "";
  if (name !== "render" || args.includes("--explain")) return stdout;
  if (format !== "json" || stdout === "") return "";
  const { files, ...shown } = JSON.parse(stdout);
  expect(files).toBeInstanceOf(Array);
  return JSON.stringify(shown, null, 2);
}

/** A hub whose responses have the text wherever they may. */
const inspected = (text: string) =>
  scriptedHubApi({
    version: text,
    user: text,
    served: {
      "config.openshift.io/v1": ["images"],
      [`machineconfiguration.openshift.io/${text}`]: ["machineconfigs"],
    },
    objects: {
      "/apis/config.openshift.io/v1/clusterversions/version": {
        ...aClusterVersion(),
        status: { desired: { version: text }, history: [{ state: "Completed", version: text }] },
      },
      "/apis/config.openshift.io/v1/images/cluster": {
        ...anImageConfig(),
        spec: { additionalTrustedCA: { name: text } },
      },
    },
  });

describe("doctor", () => {
  test.for(Object.entries(credentialForms))(
    "When a hub's responses and a setting contain %s, no check should contain it",
    async ([, write]) => {
      const [hidden = ""] = fc.sample(aSecret, 1);
      const { url } = await inspected(write(hidden));
      const folder = await temporaryFolder();
      const kubeconfig = {
        clusters: [{ name: "hub", cluster: { server: url, "insecure-skip-tls-verify": true } }],
        users: [{ name: "jo", user: {} }],
        contexts: [{ name: "hub", context: { cluster: "hub", user: "jo" } }],
        "current-context": "hub",
      };
      await writeFile(join(folder, "config"), JSON.stringify(kubeconfig));
      const variables = { KUBECONFIG: join(folder, "config"), HUBRELAY_OUTCOME_TOPIC_ARN: write(hidden) };
      // Each account costs a request for each of its permissions. What the forwarder's Lease says: lease-check.test.ts.
      const args = ["doctor", "-o", "json", "--account", "hosted-clusters"];
      const { stdout, stderr } = await hubrelay(args, { variables });
      expect(stdout).toContain('"access of hosted-clusters"');
      const traces = tracesOf(hidden);
      const shown = (stdout + stderr).split("\n");
      expect(shown.filter((line) => traces.some((trace) => line.includes(trace)))).toEqual([]);
    },
  );
});

describe("commands", () => {
  test.for(
    commands.map((command) => ({ command, line: command.filter((one) => one !== examples).join(" ") })),
  )(
    "When hubrelay $line reads a credential of any known form, no output should contain it",
    async ({ command }) => {
      await fc.assert(
        fc.asyncProperty(plantedManifests(), async (manifests) => {
          const stdin = manifests.map(({ object }) => JSON.stringify(object)).join("\n");
          const { stdout, stderr } = await hubrelay(command, { stdin });
          expect(leakFinder(manifests)(withoutContent(command, stdout) + stderr)).toEqual([]);
        }),
        { numRuns: 1, endOnFailure: true },
      );
    },
  );

  test.for([
    ["validate", "-"],
    ["diff", examples, "-"],
  ])(
    "When %s shows lines of manifests on a terminal, none should contain a credential",
    async (...[command]) => {
      await fc.assert(
        fc.asyncProperty(plantedManifests(), async (manifests) => {
          const stdin = manifests.map(({ object }) => JSON.stringify(object, null, 2)).join("\n---\n");
          const { stdout, stderr } = await hubrelay(command, { stdin, columns: 1_000 });
          expect(stderr).toContain("\n    ");
          expect(leakFinder(manifests)(stdout + stderr)).toEqual([]);
        }),
        { numRuns: 2, endOnFailure: true },
      );
    },
  );

  test("When any other command shows lines of manifests on a terminal, none should contain a credential", async () => {
    await fc.assert(
      fc.asyncProperty(plantedManifests(), async (manifests) => {
        const stdin = manifests.map(({ object }) => JSON.stringify(object, null, 2)).join("\n---\n");
        // Formats differ in what is on standard output.
        const one = new Map(commands.map((command) => [command.slice(0, 2).join(" "), command]));
        for (const command of one.values()) {
          const { stdout, stderr } = await hubrelay(command, { stdin, columns: 1_000 });
          expect(leakFinder(manifests)(withoutContent(command, stdout) + stderr)).toEqual([]);
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  test.for(
    commands.map((command) => ({ command, line: command.filter((one) => one !== examples).join(" ") })),
  )("When names end in words such as secret, hubrelay $line should hide nothing", async ({ command }) => {
    const stdin = namedLikeSecrets()
      .map((object) => JSON.stringify(object))
      .join("\n");
    const { stdout, stderr } = await hubrelay(command, { stdin });
    expect((stdout + stderr).split("\n").filter((line) => line.includes(redacted))).toEqual([]);
  });
});
