import { Session } from "node:inspector/promises";
import { expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { ended } from "../cli/simulation/reported-status.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "./support/hub/objects.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "./support/precache/precache-system.ts";

/** Returns the files of production with a function that runs meanwhile, by V8's coverage; adapters of tests do not count. */
async function filesPassed(run: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
  return result
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges: [r] }) => functionName !== "" && r?.count),
    )
    .flatMap(({ url }) => /\/((?:shared|functions)\/(?!adapters\/).+\.ts)/.exec(url)?.[1] ?? [])
    .filter((file) => !file.startsWith("shared/adapters/"))
    .sort();
}

const flows: readonly [
  what: string,
  most: number,
  begun: () => Promise<PrecacheSystem>,
  run: (system: PrecacheSystem) => Promise<void>,
][] = [
  [
    "an ImageDigestMirrorSet becomes a MachineConfig",
    80,
    async () => {
      const system = precacheSystem(undefined, [mirrorConfig]);
      for (const object of [anImageConfig(), aClusterVersion(), aPool("worker")]) system.hub.put(object);
      await system.settle();
      return system;
    },
    async (system) => {
      system.hub.put(aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: ["m.lan/acme"] }]));
      await system.settle();
    },
  ],
  [
    "a ClusterGroupUpgrade is pre-cached",
    95,
    async () => precacheSystem(),
    async (system) => {
      system.plan(aPlannedUpgrade(["sno1"]));
      await system.settle();
      system.report(ended("succeeds"));
      await system.settle();
    },
  ],
];

test.for(flows)("When $0, it should pass at most $1 files", async ([what, most, begun, run]) => {
  const system = await begun();
  const files = await filesPassed(() => run(system));
  console.log(`${what}: ${files.length} files\n${files.join("\n")}`);
  expect(files.length).toBeGreaterThan(20);
  expect(files.length).toBeLessThanOrEqual(most);
});
