import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { benchOptions } from "./options.ts";

const claims = ["cold-start", "events", "forwarder"].map((name) => ({ name, goal: "it is fast" }));

test.for([
  { given: [], options: { smoke: false } },
  { given: ["--smoke"], options: { smoke: true } },
  { given: ["--record"], options: { smoke: false, record: true } },
  { given: ["--only", "events"], options: { smoke: false, only: ["events"] } },
  {
    given: ["--only=events", "--only", "forwarder"],
    options: { smoke: false, only: ["events", "forwarder"] },
  },
])("When the claims are measured with $given, the options should be $options", ({ given, options }) => {
  expect(benchOptions(claims, given)).toEqual(options);
});

test("When a claim does not exist, the error should name those that do", () => {
  const refused = () => benchOptions(claims, ["--only", "event"]);
  expect(refused).toThrow(CommanderError);
  expect(refused).toThrow("No such claim, only cold-start, events, forwarder.");
});
