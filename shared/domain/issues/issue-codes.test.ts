import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { issueCodes } from "./issue-codes.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const names = issueCodes.map(({ code }) => code);

test("When a code is registered, some issue should have it", async () => {
  const files = (await Array.fromAsync(glob("{shared,functions,cli}/**/*.ts", { cwd: root }))).filter(
    (file) => !file.endsWith(".test.ts") && !/\/issues\/\w+-codes\.ts$/.test(file),
  );
  const text = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((code) => !text.includes(`"${code}"`))).toEqual([]);
});

test("When a code is registered, its name should be that of a Kubernetes Event's reason, and used once", () => {
  expect(names.filter((code) => !/^[A-Z][A-Za-z]{1,127}$/.test(code))).toEqual([]);
  expect(names.filter((code, index) => names.indexOf(code) !== index)).toEqual([]);
});

test("When a code is registered, its meaning should be a plain clause", () => {
  const clauses = issueCodes.map(({ meaning }) => meaning);
  expect(clauses.filter((clause) => !/^[a-z`][^|\n]*[^.|]$/i.test(clause))).toEqual([]);
});
