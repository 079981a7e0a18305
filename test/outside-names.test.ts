import { expect, test } from "vitest";
import { findInCode } from "./support/typed-code/find-in-code.ts";
import { outsideNames } from "./support/typed-code/outside-names.ts";
import { refusedLines } from "./support/typed-code/refused-lines.ts";

const projects = ["tsconfig.json", "console/client/tsconfig.json"];
const examples = "test/support/typed-code/outside-names-examples.ts";

/** What runs on input; infra's scripts read only files of this repository. */
const isProduction = (file: string) =>
  /^(?:shared|functions|cli|console)\//.test(file) && !/\.test\.ts$|fixtures/.test(file);

/** The one accepted way, which asks before whether the object itself has the name. */
const helper = "shared/domain/kubernetes/json/values.ts";

const found = findInCode(projects, (file) => file === examples || isProduction(file), outsideNames);

test("When production code indexes an object, the name should be its own: else use ownValue, a Map or Object.hasOwn", () => {
  const refused = found.filter(({ file }) => file !== examples && file !== helper);
  expect(refused.map(({ file, line, reason, text }) => `${file}:${line} ${reason}: ${text}`)).toEqual([]);
  expect(found.filter(({ file }) => file === helper).map(({ text }) => text)).toEqual(["record[name]"]);
});

test("When code indexes an object in any of these ways, the rule should refuse exactly those with names from outside", () => {
  expect(found.filter(({ file }) => file === examples).map(({ line, reason }) => ({ line, reason }))).toEqual(
    refusedLines(examples),
  );
});
