import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { exitCodes } from "../../cli/program/exit-codes.ts";
import packageJson from "../../package.json" with { type: "json" };
import { respondJson, scriptedApi } from "../support/servers/scripted-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const window = (namespace: string, name: string, tier: string) => ({
  apiVersion: "hubrelay.dev/v1alpha1",
  kind: "MaintenanceWindow",
  metadata: { namespace, name, labels: { tier }, uid: name, resourceVersion: "1" },
  spec: {
    schedule: "0 2 * * *",
    timeZone: "UTC",
    duration: "2h",
    allow: { preCaching: true, maxCost: { worker: "drain" } },
  },
});
const windows = [
  window("north", "nights", "edge"),
  window("south", "nights", "core"),
  window("south", "days", "edge"),
];
const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items: windows });

/** Writes a kubeconfig with two contexts, of which each is a hub with one window, named like the context. */
async function twoHubs(): Promise<string> {
  const hubs = await Promise.all(
    ["first", "second"].map(async (name) => {
      const { url } = await scriptedApi(({ path }, response) => {
        const items = path.endsWith("/maintenancewindows") ? [window("fleet", name, "edge")] : [];
        respondJson(response, 200, { kind: "List", metadata: { resourceVersion: "1" }, items });
      });
      return { name, url };
    }),
  );
  const config = {
    clusters: hubs.map(({ name, url }) => ({
      name,
      cluster: { server: url, "insecure-skip-tls-verify": true },
    })),
    users: [{ name: "jo", user: { token: "one" } }],
    contexts: hubs.map(({ name }) => ({ name, context: { cluster: name, user: "jo" } })),
    "current-context": "first",
  };
  const path = join(await temporaryFolder(), "kubeconfig");
  await writeFile(path, JSON.stringify(config));
  return path;
}

describe("the hub of a command", () => {
  const shownWindows = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    (await hubrelay(["windows", ...args], { variables })).stdout.match(/first|second/)?.[0];
  const [first, second] = ["first", "second"];

  test("When kubeconfig and context are given, they should go before the environment", async () => {
    const path = await twoHubs();
    expect(await shownWindows(["--kubeconfig", path])).toBe(first);
    expect(await shownWindows(["--kubeconfig", path, "--context", "second"])).toBe(second);
    expect(await shownWindows(["--kubeconfig", path], { HUBRELAY_HUB: "directory:/nowhere" })).toBe(first);
  });

  test("When only a context is given, it should be that of the environment's kubeconfig", async () => {
    const path = await twoHubs();
    const both = ["/nowhere", path].join(delimiter);
    expect(await shownWindows(["--context", "second"], { KUBECONFIG: both })).toBe(second);
    expect(await shownWindows(["--context", "second"], { HUBRELAY_HUB: `kubeconfig:${path}#first` })).toBe(
      second,
    );
  });
});

describe("lists", () => {
  const listed = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await hubrelay(["windows", "-f", "-", "-o", "json", ...args], { stdin });
    const found: readonly { namespace: string; name: string }[] = JSON.parse(stdout);
    return found.map(({ namespace, name }) => `${namespace}/${name}`);
  };

  test("When a namespace or labels are given, they should select as kubectl's options do", async () => {
    expect(await listed("-n", "south")).toEqual(["south/nights", "south/days"]);
    expect(await listed("-l", "tier=edge")).toEqual(["north/nights", "south/days"]);
    expect(await listed("-A", "-l", "tier!=edge")).toEqual(["south/nights"]);
    expect(await listed("--namespace=south", "--selector", "tier in (edge)")).toEqual(["south/days"]);
  });
});

test("When its version is requested, it should print it for people and for programs", async () => {
  const { version } = packageJson;
  expect((await hubrelay(["--version"])).stdout).toBe(`${version}\n`);
  expect((await hubrelay(["version"])).stdout).toBe(
    `hubrelay ${version}\nNode.js ${process.versions.node}\ntime zone data ${process.versions.tz}\n`,
  );
  expect(JSON.parse((await hubrelay(["version", "-o", "json"])).stdout)).toEqual({
    hubrelay: version,
    node: process.versions.node,
    timeZones: process.versions.tz,
  });
});

test("When help is requested for no command, it should have every command in a group", async () => {
  const { stdout } = await hubrelay(["--help"]);
  expect(stdout).toMatch(/^Check manifests, .*:\n {2}validate /m);
  expect(stdout).not.toContain("\nCommands:");
});

test("When exit codes are documented, they should be those of the commands", async () => {
  const { stdout } = await hubrelay(["--help"]);
  for (const code of Object.values(exitCodes)) expect(stdout).toMatch(new RegExp(`^  ${code} `, "m"));
});
