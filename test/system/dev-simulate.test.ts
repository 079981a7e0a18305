import { expect, test } from "vitest";
import { hubrelay as asProcess } from "./cli.ts";
import { hubrelay } from "./cli-in-process.ts";

test("When a small fleet is simulated, it should end correctly and report what it cost the hub", async () => {
  // A seed whose longest Job is short.
  const { stdout, stderr, exitCode } = await asProcess(["dev", "--simulate", "4", "--seed", "195938"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toContain("default/simulated: Precaching is completed for all clusters");
  expect(stdout).toMatch(/^hub requests +[0-9.]+ a cluster \(.*[0-9]+ create/m);
  expect(stdout).toMatch(/^results known +[0-9.]+ s after the report/m);
  expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test.for(["0", "many", "10001"])(
  "When %s clusters are requested, it should report the expected value",
  async (count) => {
    const { stderr, exitCode } = await hubrelay(["dev", "--simulate", count]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining("must be a whole number from 1 to 10000."),
    });
  },
);
