import { expect, test } from "vitest";
import { escapedText, html } from "./html.ts";

test("When a page shows a name that ends in such a word, it should stay", () => {
  const name = "quay.io/acme/secret: no such image";
  expect(`${html`<p>${name}</p>`}${escapedText(name)}`).toBe(`<p>${name}</p>${name}`);
});
