import { expect, test } from "vitest";
import { repeatedKey } from "./repeated-key.ts";

test.for([
  { json: '{"a":1,"a":2}', key: "a" },
  { json: '{"a":1,"\\u0061":2}', key: "a" },
  { json: '[{"x":{"b":[{"c":1}],"b":1}}]', key: "b" },
  { json: '{"a":{"a":{"b":1}},"b":[{"a":1},{"a":1}]}', key: undefined },
  { json: '{"a":"a","b":"\\"a\\":","c":["a"]}', key: undefined },
  { json: '"{"', key: undefined },
])("When the JSON is $json, the repeated key should be $key", ({ json, key }) => {
  expect(repeatedKey(json)).toBe(key);
});
