import { Session } from "node:inspector/promises";
import { expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../cli/simulation/reported-status.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "./support/hub/objects.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "./support/precache/precache-system.ts";

/** Returns the files of production, except adapters, with a function that runs meanwhile. */
async function filesPassed(run: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ functions }) => functions.some((it) => it.functionName !== "" && it.ranges[0]?.count))
    .flatMap(({ url }) => /\/((?:shared\/(?!adapters\/)|functions\/).+\.ts)/.exec(url)?.[1] ?? []);
}

type Flow = readonly [string, number, PrecacheSystem, KubernetesObject[], (of: PrecacheSystem) => unknown];

/** The second value is the most files that a reader has to pass. Lowering it is free. */
const flows: readonly Flow[] = [
  [
    "an ImageDigestMirrorSet becomes a MachineConfig",
    80,
    precacheSystem(undefined, [mirrorConfig]),
    [anImageConfig(), aClusterVersion(), aPool("worker")],
    ({ hub }) => hub.put(aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: ["m.lan/acme"] }])),
  ],
  [
    "a ClusterGroupUpgrade is pre-cached",
    80,
    precacheSystem(),
    [],
    async (system) => {
      system.plan(aPlannedUpgrade(["sno1"]));
      await system.settle();
      system.report(ended("succeeds"));
    },
  ],
];

test.for(flows)("When $0, it should pass at most $1 files", async ([, most, system, before, run]) => {
  for (const object of before) system.hub.put(object);
  await system.settle();
  const files = await filesPassed(async () => {
    await run(system);
    await system.settle();
  });
  expect(files.length, files.join("\n")).toSatisfy((it: number) => it > 20 && it <= most);
});
