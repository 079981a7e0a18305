import { expect, test } from "vitest";
import { HubError } from "#shared/ports/hub.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";

/** A hub on which these clusters have no namespace. */
const withoutNamespaces = (gone: ReadonlySet<string>) =>
  precacheSystem((request, { namespace = "" }) =>
    request === "create ManifestWork" && gone.has(namespace)
      ? new HubError("NotFound", `create ManifestWork: namespaces "${namespace}" not found`)
      : undefined,
  );

test("When a cluster's namespace is missing, that cluster should report it, the others continue, and no message go to the dead-letter queue", async () => {
  const gone = new Set(["sno2"]);
  const system = withoutNamespaces(gone);
  system.plan(aPlannedUpgrade(["sno1", "sno2", "sno3"]));
  await system.settle();
  for (let round = 0; round < 20; round++) {
    system.pass(60);
    system.resync();
    await system.settle();
  }
  system.report(ended("succeeds"));
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Succeeded", sno2: "PreparingToStart", sno3: "Succeeded" });
  expect(system.records().sno2).toMatchObject({
    reason: "NotCreated",
    message: expect.stringContaining("the cluster's namespace may be missing"),
  });
  expect(system.deadLetters).toEqual([]);

  gone.clear();
  system.pass(60);
  system.resync();
  await system.settle();
  expect(system.works("sno2")).toHaveLength(1);
  system.report(ended("succeeds"), ["sno2"]);
  await system.settle();
  expect(system.states().sno2).toBe("Succeeded");
});
