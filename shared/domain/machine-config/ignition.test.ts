import { expect, test } from "vitest";
import { renderIgnition, tryDecodeDataUrl } from "./ignition.ts";
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

test.for<[url: string, text: string | undefined]>([
  ["data:text/plain;charset=utf-8;base64,w6kK", "é\n"],
  ["data:;base64,", ""],
  ["data:,", ""],
  ["data:,a%20b%0A", "a b\n"],
  ["data:,a,b\nc", "a,b\nc"],
  ["data:,100%", undefined],
  ["https://example.com/file", undefined],
  ["https://example.com/data:,a", undefined],
  ["data:text/plain", undefined],
])("When the URL is %s, it should decode %j", ([url, text]) => {
  expect(tryDecodeDataUrl(url)).toBe(text);
});
