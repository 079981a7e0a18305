import { expect, test } from "vitest";
import { readCapabilityChoice } from "./resolve.ts";

test.for([
  { written: undefined, enabled: [], disabled: [] },
  { written: {}, enabled: [], disabled: [] },
  { written: "none", enabled: [], disabled: [] },
  { written: { enabled: "baremetal", disabled: {} }, enabled: [], disabled: [] },
  {
    written: { enabled: ["baremetal", 1], disabled: [null, "Console"] },
    enabled: ["baremetal"],
    disabled: ["Console"],
  },
])("When spec.capabilities is $written, the names in it should be read", ({ written, ...choice }) => {
  expect(readCapabilityChoice(written)).toEqual(choice);
});
