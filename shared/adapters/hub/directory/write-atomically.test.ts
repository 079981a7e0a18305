import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { writeAtomically } from "./manifest-files.ts";

test("When somebody placed links under names derived from the process, no file should be written through them", async () => {
  const folder = await temporaryFolder();
  const victim = join(folder, "victim");
  writeFileSync(victim, "untouched");
  const links = Array.from({ length: 100 }, (_, index) => `.hubrelay-${process.pid}-${index}.tmp`);
  for (const link of links) symlinkSync(victim, join(folder, link));
  writeAtomically(join(folder, "out.yaml"), "text", { synced: false });
  expect(readFileSync(victim, "utf8")).toBe("untouched");
  expect(readFileSync(join(folder, "out.yaml"), "utf8")).toBe("text");
  expect(readdirSync(folder)).toHaveLength(links.length + 2);
});
