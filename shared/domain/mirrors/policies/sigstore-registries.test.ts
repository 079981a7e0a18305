import { expect, test } from "vitest";
import { parse } from "yaml";
import { byYamlKey, encodeSigstoreRegistries } from "./sigstore-registries.ts";

test("When scopes are written, it should write each once, in the order and with the quotes of the library", () => {
  const long = `quay.io/${"a".repeat(121)}`;
  expect(encodeSigstoreRegistries(["m10.io", "m2.io", "*.io", "m2.io", "localhost:5000", "1.5", long])).toBe(
    `docker:
  '*.io':
    use-sigstore-attachments: true
  "1.5":
    use-sigstore-attachments: true
  localhost:5000:
    use-sigstore-attachments: true
  m2.io:
    use-sigstore-attachments: true
  m10.io:
    use-sigstore-attachments: true
  ? ${long}
  : use-sigstore-attachments: true
`,
  );
});

test("When the file is read, it should hold exactly the scopes", () => {
  const scopes = ["q.io/a", "*.io", "q.io:5000/b@sha256:0", "true", "10:30"];
  expect(Object.keys(parse(encodeSigstoreRegistries(scopes)).docker).sort()).toEqual([...scopes].sort());
});

test.for<string[]>([
  ["a", "a/b"],
  ["a.io", "ab.io"],
  ["a/b", "aa"],
  ["a2", "a10"],
  ["a02", "a10"],
  ["a1.b", "a1b"],
  ["a1", "a01"],
  ["x10", "x100"],
  ["x11", "x100"],
  ["100", "110"],
  ["x-11", "x-100"],
  ["x001", "x02"],
  ["x0001", "x002"],
  ["a-b", "a.b"],
  ["a.b", "a0b"],
  ["a9223372036854775808", "a1"],
  ["B", "a"],
  ["1a", "a"],
])("When %s and %s are compared, the first should come first", ([first = "", second = ""]) => {
  expect(byYamlKey(first, second)).toBeLessThan(0);
  expect(byYamlKey(second, first)).toBeGreaterThan(0);
  expect(byYamlKey(first, first)).toBe(0);
});
