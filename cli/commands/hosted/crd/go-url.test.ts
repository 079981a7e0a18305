import { expect, test } from "vitest";
import { parseGoUrl } from "./go-url.ts";

test.for([
  "https://a.b/c",
  "http://a b/c",
  "mailto:a@b",
  "/path",
  "/pa th",
  "//host/path",
  "https://[::1]:443/",
  "https://a:/",
  "",
])('When the text is "%s", it should be a URL exactly if it is one in Go', (text) => {
  const valid = !["http://a b/c", ""].includes(text);
  expect(parseGoUrl(text) !== undefined).toBe(valid);
});

test.for([
  "a.b",
  "a/b",
  "https://a:b/",
  "https://a/%zz",
  "https://a%z/",
  "http://a\u007f/",
  "https://[::1/",
  "1a:b",
  "/%x",
])('When the text is "%s", it should not be a URL', (text) => expect(parseGoUrl(text)).toBeUndefined());
