import { expect, test } from "vitest";
import { valueIn } from "../issues/field.ts";
import { checkRecord } from "../precache-model/check-record.ts";

const started = "2026-03-04T01:00:00Z";
const inProgress = { started, attempt: 1 };
const ended = {
  ...inProgress,
  opening: "2026-03-05T01:00:00Z",
  checked: "2026-03-04T01:01:00Z",
  imagesPresent: 3,
  imagesTotal: 4,
  message: "quay.io/a@sha256:1",
};

test.for<Readonly<{ what: string; stored: unknown; read: object | undefined }>>([
  { what: "is in progress", stored: inProgress, read: inProgress },
  { what: "has ended", stored: ended, read: ended },
  {
    what: "has fields of other types",
    stored: {
      ...inProgress,
      opening: 1,
      checked: true,
      imagesPresent: "3",
      imagesTotal: null,
      message: ["a"],
    },
    read: inProgress,
  },
  { what: "has unknown fields", stored: { ...ended, colour: "red" }, read: ended },
  { what: "has no start", stored: { attempt: 1 }, read: undefined },
  { what: "has no attempt", stored: { started }, read: undefined },
  { what: "has a start of another type", stored: { started: 1, attempt: 1 }, read: undefined },
  { what: "has an attempt of another type", stored: { started, attempt: "1" }, read: undefined },
  { what: "is a text", stored: started, read: undefined },
  { what: "is missing", stored: undefined, read: undefined },
])("When a recorded check $what, it should be read as $read", ({ stored, read }) => {
  expect(valueIn(checkRecord, stored)).toEqual(read);
});
