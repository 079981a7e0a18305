import { expect, test } from "vitest";
import { formatRemedy } from "./location-format.ts";

test.for([
  ["", "Set it;"],
  [" q.io", "Remove the white space"],
  ["https://q.io", "Remove the scheme;"],
  [
    "[2001:db8::1]:5000/ocp",
    "The API accepts no IPv6 address: write a DNS name whose AAAA record has it, such as registry.example.com:5000/ocp;",
  ],
  ["https://[fe80::1%eth0]/x", "The API accepts no IPv6 address"],
  ["2001:db8::1", "The API accepts no IPv6 address"],
  ["::1/x", "The API accepts no IPv6 address"],
  ["<host>/x", "Fill in the placeholder;"],
  ["$REG/x", "Fill in the placeholder;"],
  ["q.io/x@sha256:0", "Remove the digest;"],
  ["q.io/x:latest", "Remove the tag;"],
  ["q.io/app:latest", "Remove the tag;"],
  ["q.io/x/", "Remove the slash at the end;"],
  ["q.io//x", "Remove the empty path component;"],
  ["*.q.io/x", "Use a wildcard only as"],
  ["q.io/Team", "Write the path in lower case;"],
  ["q.io/https://x", "Remove the empty path component;"],
  ["q_q.io", "A source is"],
  ["q.io/x:5/y", "A source is"],
  ["q.io/a_", "A source is"],
  [`q.io/${":".repeat(1_000_000)}`, "A source is"],
] as const)("When the source is %s, it should begin with: %s", ([value, beginning]) => {
  expect(formatRemedy("source", value).startsWith(beginning)).toBe(true);
});

test("When the location is another one, it should give its format", () => {
  expect(formatRemedy("mirror", "q_q")).toBe(
    "A mirror is host[:port][/path] in lower case, without scheme, wildcard, tag or digest.",
  );
  expect(formatRemedy("scope", "q.io/")).toContain("a scope is host[:port][/path]");
  expect(formatRemedy("image", "https://q.io/app@sha256:0")).toBe(
    "Remove the scheme; an image is host[:port]/path in lower case, with :tag, or @sha256: and 64 hexadecimal digits.",
  );
  expect(formatRemedy("image", "app:v1")).toMatch(/^An image is /);
});
