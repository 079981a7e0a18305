import { expect, test } from "vitest";
import { parse } from "yaml";
import { byYamlKey, encodeSigstoreRegistries } from "./policy-files.ts";

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
  const scopes = ["q.io/a", "*.io", "q.io:5000/b@sha256:0", "1.50", "10:30"];
  expect(Object.keys(parse(encodeSigstoreRegistries(scopes)).docker).sort()).toEqual([...scopes].sort());
});

// Each was written by Go's own library.
test.for([
  { scope: "localhost", written: "localhost" },
  { scope: "1.2.3", written: "1.2.3" },
  { scope: "1.5", written: '"1.5"' },
  { scope: "1.5/a", written: "1.5/a" },
  { scope: "1.5:5000", written: "1.5:5000" },
  { scope: "1_0.5", written: '"1_0.5"' },
  { scope: "1.5e3", written: '"1.5e3"' },
  { scope: "1.5E-3", written: '"1.5E-3"' },
  { scope: "7.E2", written: '"7.E2"' },
  { scope: "1.5e999", written: "1.5e999" },
  { scope: "1.5f", written: "1.5f" },
  { scope: "1:30", written: '"1:30"' },
  { scope: "10:5", written: '"10:5"' },
  { scope: "1_0:59", written: '"1_0:59"' },
  { scope: "1:60", written: "1:60" },
  { scope: "1:30/a", written: "1:30/a" },
  { scope: "*.1.5", written: "'*.1.5'" },
])("When the scope is $scope, it should be written as $written", ({ scope, written }) => {
  expect(encodeSigstoreRegistries([scope])).toBe(
    `docker:\n  ${written}:\n    use-sigstore-attachments: true\n`,
  );
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
