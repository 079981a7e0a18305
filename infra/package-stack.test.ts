import { expect, test } from "vitest";
import { stackOptions } from "./package-stack.ts";

test.for([
  { given: ["--stage", "prod", "--hub", "east"], passed: ["--stage", "prod", "--param", "hub=east"] },
  { given: ["--hub=east", "--param", "hubId=a"], passed: ["--param=hub=east", "--param", "hubId=a"] },
  { given: ["--stage", "prod"], passed: ["--stage", "prod"] },
])("When the options are $given, osls should get $passed", ({ given, passed }) => {
  expect(stackOptions(given)).toEqual(passed);
});
