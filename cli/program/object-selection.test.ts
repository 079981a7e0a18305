import { expect, test } from "vitest";
import { selects } from "#shared/domain/kubernetes/label-selector.ts";
import { labelSelector } from "./object-selection.ts";

const labels = { site: "oslo", "hubrelay.dev/tier": "edge", empty: "" };

test.for([
  { text: "site=oslo", selected: true },
  { text: "site==bergen", selected: false },
  { text: "site!=bergen, hubrelay.dev/tier = edge", selected: true },
  { text: "absent!=anything", selected: true },
  { text: "site in (bergen, oslo),site notin (x)", selected: true },
  { text: "site notin (bergen,oslo)", selected: false },
  { text: "site,!absent", selected: true },
  { text: "!site", selected: false },
  { text: "empty=", selected: true },
])(
  "When the selector is $text, it should be $selected for a labelled object, as in kubectl",
  ({ text, selected }) => {
    expect(selects(labelSelector(text), labels)).toBe(selected);
  },
);

test.for(["", "site=oslo,", "site in", "site in ()", "site=a=b", "site > 4", "a b", "site in (a"])(
  "When %j is not a selector, it should be refused with an example",
  (text) => {
    expect(() => labelSelector(text)).toThrow("must be a label selector such as");
  },
);
