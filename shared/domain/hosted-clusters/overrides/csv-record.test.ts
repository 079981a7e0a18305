import { expect, test } from "vitest";
import { readCsvRecord } from "./csv-record.ts";

test.for([
  { text: "a=b,,c=d", fields: ["a=b", "", "c=d"] },
  { text: ",a=b", fields: ["", "a=b"] },
  { text: "a=b,", fields: ["a=b", ""] },
  { text: '"","a,b"', fields: ["", "a,b"] },
])("When a record is '$text', its fields should be $fields", ({ text, fields }) => {
  expect(readCsvRecord(text)).toEqual({ fields });
});
