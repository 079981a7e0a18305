import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { printResult, type Result } from "./print-result.ts";
import { safe } from "./safe-text.ts";

test("When a watched result changes, it should be printed again, and only then", async () => {
  const stdout = new PassThrough();
  vi.spyOn(process, "stdout", "get").mockReturnValue(stdout as never);
  const results = ["one", "one", "two", "two", "two"].map(
    (word): Result => ({ text: safe`${word}\n`, issues: [] }),
  );
  const watching = printResult(
    async () => results.shift() ?? Promise.reject(new Error("the hub is gone")),
    { watch: true },
    async () => undefined,
  );
  await expect(watching).rejects.toThrow("the hub is gone");
  vi.restoreAllMocks();
  stdout.end();
  expect(await text(stdout)).toBe("one\ntwo\n");
});
