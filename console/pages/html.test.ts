import { expect, test } from "vitest";
import { credentialForms, tracesOf } from "../../test/support/messages/credential-forms.ts";
import { escapedText, html } from "./html.ts";

const secret = "plantedWAXQ7r2b9dLmPq4T8s";

test.for(Object.entries(credentialForms))("When a page shows %s, it should be without it", ([, write]) => {
  const shown = `${html`<p>${write(secret)}</p>`}${escapedText(write(secret))}`;
  expect(tracesOf(secret).filter((trace) => shown.includes(trace))).toEqual([]);
});

test("When a page shows a name that ends in such a word, it should stay", () => {
  const name = "quay.io/acme/secret: no such image";
  expect(`${html`<p>${name}</p>`}${escapedText(name)}`).toBe(`<p>${name}</p>${name}`);
});
