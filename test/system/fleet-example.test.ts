import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { schemaProblems } from "../support/messages/outcome-schema.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const fleet = join(paths.root, "examples/fleet");

test("When the example fleet is validated, it should have no errors", async () => {
  const { stdout, exitCode } = await hubrelay(["validate", "-f", fleet, "-o", "json"]);
  expect({ issues: JSON.parse(stdout).issues, exitCode }).toEqual({ issues: [], exitCode: 0 });
});

test("When dev runs once on the example fleet, its log should hold the drain back, plan, and name both MachineConfigs, and --events should print only outcome events", async () => {
  const folder = await temporaryFolder();
  const { stdout, stderr, exitCode } = await hubrelay(["dev", "--once", "--events", "--from", fleet], {
    cwd: folder,
  });
  expect(exitCode).toBe(0);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(schemaProblems(events)).toEqual([]);
  expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual(
    expect.arrayContaining([
      "dev.hubrelay.mirror-config.rendered 99-master-generated-registries",
      "dev.hubrelay.mirror-config.held 99-worker-generated-registries",
      "dev.hubrelay.precache-plan.planned fleet/fleet-4-20",
    ]),
  );
  expect(stderr.trimEnd().split("\n").at(-1)).toBe("First round done. Errors: 0.");
  expect(stderr).toMatch(
    /99-worker-generated-registries: held: .*waits for the maintenance window fleet\/north-nights/,
  );
  expect(stderr).toContain("planned: 11 precache, 1 leave out");
  expect(stderr).toMatch(/tromso-1, .*: wait: fleet\/north-nights is closed until/);
  // The checkout stays as it is: only the copy's window has another schedule.
  expect(await readFile(join(folder, "hub/windows.yaml"), "utf8")).toMatch(/schedule: \d+ \d+ \* \* \*/);
  expect(await readFile(join(fleet, "windows.yaml"), "utf8")).toContain("schedule: 0 1 * * *");
});
