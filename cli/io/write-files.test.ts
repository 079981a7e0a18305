import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/setup/temporary-folder.ts";
import { writeWhole } from "./write-files.ts";

test("When somebody placed a link under a name derived from the process, no file should be written through it", async () => {
  const folder = await temporaryFolder();
  const victim = join(folder, "victim");
  writeFileSync(victim, "untouched");
  const link = `.out.yaml.${process.pid}`;
  symlinkSync(victim, join(folder, link));
  await writeWhole(folder, "out.yaml", "text");
  expect(readFileSync(victim, "utf8")).toBe("untouched");
  expect(readFileSync(join(folder, "out.yaml"), "utf8")).toBe("text");
  expect((await readdir(folder)).sort()).toEqual([link, "out.yaml", "victim"]);
});

test("When a pipe is where a file is to be written, it should be refused", async () => {
  const folder = await temporaryFolder();
  execFileSync("mkfifo", [join(folder, "out.yaml")]);
  await expect(writeWhole(folder, "out.yaml", "text")).rejects.toThrow("no regular file");
});
