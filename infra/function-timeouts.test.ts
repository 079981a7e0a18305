import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { controllers } from "#functions/controllers.ts";
import { paths } from "./paths.ts";

const service = z.object({ functions: z.record(z.string(), z.object({ timeout: z.number() })) });

test("When a function runs outside of Lambda, its batch timeout should equal that on Lambda", async () => {
  const text = await readFile(join(paths.root, "serverless.yml"), "utf8");
  const { functions } = service.parse(parse(text, { logLevel: "error" }));
  const own = controllers.map(({ name, timeoutSeconds = 30 }) => [name, timeoutSeconds]);
  expect(own).toEqual(controllers.map(({ name }) => [name, functions[name]?.timeout]));
});
