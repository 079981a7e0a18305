import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { keepHub } from "../../cli/simulation/fleet-objects.ts";
import { runFleet } from "../../cli/simulation/run-fleet.ts";
import { paths } from "../../infra/paths.ts";
import { outputPattern, stepsOf, wordsOf } from "../support/documentation/console-blocks.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

/** Returns the values of the options of a command. */
const optionsOf = (command: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries([...command.matchAll(/--(\w+) (\S+)/g)].map(([, name = "", value]) => [name, value]));

// They mostly wait.
test.concurrent("When a small fleet is simulated, it should end correctly and report what it cost the hub", async () => {
  // A seed whose longest Job is short.
  const hub = join(await temporaryFolder(), "kept hub");
  const args = ["dev", "--simulate", "4", "--seed", "195938", "--hub", hub];
  const { stdout, stderr, exitCode } = await hubrelay(args);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toContain("default/simulated  Precaching is completed for all clusters");
  expect(stdout).toMatch(/^hub requests +[0-9.]+ a cluster \(.*[0-9]+ create/m);
  expect(stdout).toMatch(/^results known +[0-9.]+ s after the report/m);
  expect(stdout).toContain(`: export HUBRELAY_HUB='directory:${hub}'\n`);
  const kept = JSON.parse(await readFile(join(hub, "hub.json"), "utf8"));
  expect(kept.items.map(({ kind }: KubernetesObject) => kind)).toEqual([
    ...Array.from({ length: 4 }, () => "ManagedCluster"),
    "PreCachingConfig",
    "ClusterGroupUpgrade",
    "PreCachingReport",
  ]);
  expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test.concurrent("When somebody asks why a cluster has no images, the tutorial should lead to the reason and the fix without an Event", async () => {
  const page = await readFile(join(paths.root, "docs/tutorials/why-has-a-cluster-no-images.md"), "utf8");
  const [simulate, { command: chooseHub } = { command: "" }, ...steps] = stepsOf(page);
  const { simulate: clusters, seed, hub: folder } = optionsOf(simulate?.command ?? "");
  expect({ chooseHub, clusters }).toEqual({
    chooseHub: `export HUBRELAY_HUB=directory:${folder}`,
    clusters: "200",
  });
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, folder ?? ""));
  let simulated: Hub | undefined;
  await runFleet({
    clusters: Number(clusters),
    seed: Number(seed),
    maxJobMs: 2_000,
    skipsDeadlines: true,
    onHub: async (hub) => {
      simulated = hub;
    },
  });
  if (!simulated) throw new Error("the simulation had no hub");
  await keepHub(simulated, join(cwd, folder ?? ""));
  expect(steps.length).toBeGreaterThan(3);
  for (const { command, shown } of steps) {
    const [, ...args] = wordsOf(command) ?? [];
    const { stdout, exitCode } = await hubrelay(args, { cwd, hub: `directory:${folder}`, oneStream: true });
    expect(exitCode, stdout).toBe(0);
    if (!outputPattern(shown).test(stdout)) expect(stdout, command).toBe(shown.join("\n"));
  }
});
