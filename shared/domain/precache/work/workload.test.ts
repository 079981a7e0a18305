import { expect, test } from "vitest";
import { readTermination } from "./workload.ts";

test.for([
  {
    what: "the whole contract",
    message: '{"reason":"PullFailed","image":"quay.io/a@sha256:1","detail":"no space"}',
    reported: { reason: "PullFailed", image: "quay.io/a@sha256:1", detail: "no space" },
  },
  { what: "a reason alone", message: '{"reason":"NoSpace"}', reported: { reason: "NoSpace" } },
  { what: "fields of other types", message: '{"reason":1,"image":null}', reported: {} },
  { what: "a shell's words", message: "bash: jq: not found\n", reported: { detail: "bash: jq: not found" } },
  { what: "half a message", message: '{"reason":"Pul', reported: { detail: '{"reason":"Pul' } },
  { what: "nothing", message: " ", reported: {} },
])("When the termination message is $what, it should be read as that", ({ message, reported }) => {
  expect(readTermination(message)).toEqual(reported);
});
