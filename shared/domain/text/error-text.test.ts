import { expect, test } from "vitest";
import { firstLineOf, messageOf } from "./error-text.ts";
import { redacted } from "./redact.ts";

test.for([
  { thrown: new Error("no\nway"), message: "no\nway", line: "no" },
  {
    thrown: new TypeError("token=hunter2\r\nGET /"),
    message: "token=hunter2\r\nGET /",
    line: `token=${redacted}`,
  },
  { thrown: new Error(""), message: "", line: "" },
  { thrown: "text", message: "text", line: "" },
  { thrown: undefined, message: "undefined", line: "" },
])("When $thrown is thrown, its message should be $message and its first line $line", (row) => {
  expect([messageOf(row.thrown), firstLineOf(row.thrown)]).toEqual([row.message, row.line]);
});
