import { expect, test } from "vitest";
import { readTermination } from "./workload.ts";

test.for([
  {
    what: "the whole contract",
    message: '{"reason":"PullFailed","image":"quay.io/a@sha256:1","detail":"no space"}',
    told: { reason: "PullFailed", image: "quay.io/a@sha256:1", detail: "no space" },
  },
  { what: "a reason alone", message: '{"reason":"NoSpace"}', told: { reason: "NoSpace" } },
  { what: "fields of other types", message: '{"reason":1,"image":null}', told: {} },
  { what: "a shell's words", message: "bash: jq: not found\n", told: { detail: "bash: jq: not found" } },
  { what: "half a message", message: '{"reason":"Pul', told: { detail: '{"reason":"Pul' } },
  { what: "nothing", message: " ", told: {} },
])("When the termination message is $what, it should be read as that", ({ message, told }) => {
  expect(readTermination(message)).toEqual(told);
});
