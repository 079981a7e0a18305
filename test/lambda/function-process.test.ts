import { fileURLToPath } from "node:url";
import { describe, expect, inject, test } from "vitest";
import { sharedFolder, temporaryFolder } from "../support/setup/temporary-folder.ts";
import { startFunction } from "./function-process.ts";
import type { LambdaRuntime } from "./lambda-runtime.ts";

const plainLoop: LambdaRuntime = {
  name: "the plain loop",
  program: fileURLToPath(new URL("plain-runtime.ts", import.meta.url)),
};
const runtimes = [plainLoop, inject("lambdaRuntime")];

const artefact = sharedFolder({
  "handler.mjs": `export const handler = async (event) => {
    if (event.fail) throw new TypeError("as requested");
    return { echo: event, left: process.env.COLOUR };
  };`,
});

describe.each(runtimes)("a function under $name", (runtime) => {
  test("When the handler returns, throws and returns again, it should report all three", async () => {
    await using running = await startFunction({
      runtime,
      taskRoot: artefact.path,
      environment: { COLOUR: "blue" },
    });
    const results = [];
    for (const event of [{ n: 1 }, { fail: true }, { n: 2 }]) results.push(await running.invoke(event));
    expect(results).toEqual([
      { kind: "response", body: { echo: { n: 1 }, left: "blue" } },
      {
        kind: "error",
        body: expect.objectContaining({ errorType: "TypeError", errorMessage: "as requested" }),
      },
      { kind: "response", body: { echo: { n: 2 }, left: "blue" } },
    ]);
  });

  test("When the artefact cannot be loaded, it should report that instead of waiting forever", async () => {
    const empty = await temporaryFolder();
    await using running = await startFunction({ runtime, taskRoot: empty, environment: {} });
    const failure = running.invoke({}).then(({ body }) => JSON.stringify(body), String);
    await expect(failure).resolves.toMatch(/handler/);
  });
});
