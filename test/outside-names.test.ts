import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findOutsideNames } from "./support/outside-names/find-outside-names.ts";

const projects = ["tsconfig.json", "console/client/tsconfig.json"];
const examples = "test/support/outside-names/examples.ts";

/** What runs on input; infra's scripts read only files of this repository. */
const isProduction = (file: string) =>
  /^(?:shared|functions|cli|console)\//.test(file) && !/\.test\.ts$|fixtures/.test(file);

/** The one accepted way, which asks before whether the object itself has the name. */
const helper = "shared/domain/json/values.ts";

const found = findOutsideNames(projects, (file) => file === examples || isProduction(file));

test("When production code indexes an object, the name should be its own: else use ownValue, a Map or Object.hasOwn", () => {
  const refused = found.filter(({ file }) => file !== examples && file !== helper);
  expect(refused.map(({ file, line, reason, text }) => `${file}:${line} ${reason}: ${text}`)).toEqual([]);
  expect(found.filter(({ file }) => file === helper).map(({ text }) => text)).toEqual(["record[name]"]);
});

test("When code indexes an object in any of these ways, the rule should refuse exactly those with names from outside", () => {
  const text = readFileSync(new URL("support/outside-names/examples.ts", import.meta.url), "utf8");
  const expected = text.split("\n").flatMap((line, index) => {
    const reason = /\/\/ refused: (.+)$/.exec(line)?.[1];
    return reason === undefined ? [] : [{ line: index + 1, reason }];
  });
  expect(found.filter(({ file }) => file === examples).map(({ line, reason }) => ({ line, reason }))).toEqual(
    expected,
  );
});
