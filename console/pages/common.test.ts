import { expect, test } from "vitest";
import { moment, withMoments } from "./common.ts";
import { html } from "./html.ts";

const time = '<time datetime="2026-11-28T06:10:00Z" data-local>Sat 2026-11-28 06:10 UTC</time>';

test("When there is no script, a time should be complete in UTC", () => {
  expect(String(moment(new Date("2026-11-28T06:10:00Z")))).toBe(time);
});

test.for([
  { text: "closed until 2026-11-28T06:10:00Z.", shown: `closed until ${time}.` },
  { text: "2026-11-28T06:10:00.000Z", shown: time },
  { text: "by Sat 2026-11-28 06:10 UTC: 2 late", shown: `by ${time}: 2 late` },
  { text: "<b>2026-11-28T06:10:00Z</b>", shown: `&lt;b&gt;${time}&lt;/b&gt;` },
  { text: "2026-99-28T06:10:00Z, 2026-11-28", shown: "2026-99-28T06:10:00Z, 2026-11-28" },
])("When a message is $text, its times should have the form of the pages", ({ text, shown }) => {
  expect(String(html`${withMoments(text)}`)).toBe(shown);
});
