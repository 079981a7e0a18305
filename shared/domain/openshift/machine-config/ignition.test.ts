import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeContents, renderIgnition } from "./ignition.ts";
import { textFile } from "./node-file.ts";

test("When there are no files, it should render only the version", () => {
  expect(JSON.stringify(renderIgnition([]))).toBe('{"ignition":{"version":"3.4.0"}}');
});

test("When there are files, it should render them with the keys in their order", () => {
  expect(JSON.stringify(renderIgnition([textFile("/etc/a", "é\n")]))).toBe(
    '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"overwrite":true,"path":"/etc/a",' +
      '"contents":{"compression":"","source":"data:text/plain;charset=utf-8;base64,w6kK"},"mode":420}]}}',
  );
});

test.for<[source: string, text: string]>([
  ["data:text/plain;charset=utf-8;base64,w6kK", "é\n"],
  ["data:;base64,", ""],
  ["data:,", ""],
  ["data:,a%20b%0A", "a b\n"],
  ["data:,%C3%A9", "é"],
  ["data:,a,b", "a,b"],
  ['data:text/plain;a="b c",d', "d"],
])("When the source is %s, it should decode %j", ([source, text]) => {
  expect(decodeContents({ source })).toMatchObject({ text });
});

/* Which data: URLs Ignition reads is compared in test/parity/node-files.test.ts; here is what a message says. */
test.for<[source: string, problem: string]>([
  ["https://example.com/file", "not a data: URL"],
  ["data:text/plain", "media type"],
  ["data:,100%", "hexadecimal"],
  ["data:,[[registry]]", 'the character "["'],
  ["data:,a\nb", "line break"],
  ["data:;base64,YQ", "not base64"],
])("When the source is %s, it should return the problem: %s", ([source, problem]) => {
  expect(decodeContents({ source })).toEqual({ problem: expect.stringContaining(problem) });
});

test("When there is no source, the file should be empty", () => {
  expect(decodeContents({})).toMatchObject({ text: "" });
});

const zipped = gzipSync("é\n");
const escaped = [...zipped].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

test.for([
  { name: "base64", source: `data:;base64,${zipped.toString("base64")}` },
  { name: "percent-encoded", source: `data:,${escaped}` },
])("When content is gzip in $name, it should be inflated", ({ source }) => {
  expect(decodeContents({ source, compression: "gzip" })).toMatchObject({ text: "é\n" });
});

const bomb = gzipSync(Buffer.alloc(1 + 4 * 1024 * 1024)).toString("base64");

test.for([
  ["is not gzip", { source: "data:,x", compression: "gzip" }, "not valid gzip"],
  ["has another compression", { source: "data:,x", compression: "zstd" }, "zstd"],
  ["is a bomb", { source: `data:;base64,${bomb}`, compression: "gzip" }, "more than 4 MiB"],
  ["is too large as it is", { source: `data:,${"a".repeat(1 + 4 * 1024 * 1024)}` }, "more than 4 MiB"],
] as const)("When content %s, it should return the problem", ([, contents, problem]) => {
  expect(decodeContents(contents)).toEqual({ problem: expect.stringContaining(problem) });
});
