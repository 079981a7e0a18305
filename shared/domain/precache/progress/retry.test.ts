import { expect, test } from "vitest";
import { isRetried } from "./retry.ts";

test.for<readonly [state: string | undefined, requested: readonly string[], isRetried: boolean]>([
  ["PrecacheTimeout", ["failed"], true],
  ["UnrecoverableError", ["failed"], true],
  ["UnrecoverableError", ["sno2"], false],
  ["UnrecoverableError", ["sno2", "sno1"], true],
  ["Succeeded", ["failed"], false],
  ["Succeeded", ["sno1"], true],
  ["Active", ["failed", "sno1"], false],
  ["NotStarted", ["sno1"], false],
  [undefined, ["sno1"], false],
])(
  "When sno1 is in the state %s and %j are requested, it should be retried: %s",
  ([state, requested, expected]) => {
    expect(isRetried("sno1", state, new Set(requested))).toBe(expected);
  },
);
