import { describe, expect, test } from "vitest";
import { decodeGo } from "./go-decode.ts";
import { goObjectMeta } from "./go-object-meta.ts";

const decode = (metadata: unknown) =>
  decodeGo(
    { of: "struct", name: "v1.Thing", fields: { metadata: { type: goObjectMeta, kept: "always" } } },
    { metadata },
  );

describe("values", () => {
  test.for([
    { name: "unknown fields", given: { name: "a", Name: "b", other: 1 }, kept: { name: "a" } },
    {
      name: "zero values",
      given: { name: "", generation: 0, labels: {}, finalizers: [], managedFields: [] },
      kept: {},
    },
    { name: "null", given: { name: null, labels: null, deletionGracePeriodSeconds: null }, kept: {} },
    {
      name: "a zero that was given to a pointer",
      given: { deletionGracePeriodSeconds: 0 },
      kept: { deletionGracePeriodSeconds: 0 },
    },
    {
      name: "null inside a map or list",
      given: { labels: { a: null }, finalizers: [null] },
      kept: { labels: { a: "" }, finalizers: [""] },
    },
    {
      name: "an owner without fields",
      given: { ownerReferences: [{}, null, { controller: false, uid: "u" }] },
      kept: {
        ownerReferences: [
          { apiVersion: "", kind: "", name: "", uid: "" },
          { apiVersion: "", kind: "", name: "", uid: "" },
          { apiVersion: "", kind: "", name: "", uid: "u", controller: false },
        ],
      },
    },
    {
      name: "managed fields of any content",
      given: {
        managedFields: [
          { fieldsV1: { "f:a": { ".": {} } }, manager: "m", time: "2020-01-01T00:00:00Z" },
          { fieldsV1: null },
        ],
      },
      kept: {
        managedFields: [{ fieldsV1: { "f:a": { ".": {} } }, manager: "m", time: "2020-01-01T00:00:00Z" }, {}],
      },
    },
    {
      name: "a timestamp in another zone, with fractions",
      given: { deletionTimestamp: "2020-03-01T00:30:00.987654321+01:00" },
      kept: { deletionTimestamp: "2020-02-29T23:30:00Z" },
    },
  ])("When metadata has $name, it should keep what Go writes again", ({ given, kept }) => {
    expect(decode(given)).toEqual({ value: { metadata: kept } });
  });
});

describe("errors", () => {
  const about = (what: string, field: string, type: string) =>
    `json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`;
  const time = (text: string, why: string) => `parsing time ${text}${why}`;
  const layout = ' as "2006-01-02T15:04:05Z07:00": cannot parse ';

  test.for([
    { given: 1, error: about("number", "Thing.metadata", "v1.ObjectMeta") },
    { given: { name: 1 }, error: about("number", "ObjectMeta.metadata.name", "string") },
    { given: { uid: true }, error: about("bool", "ObjectMeta.metadata.uid", "types.UID") },
    { given: { generation: "3" }, error: about("string", "ObjectMeta.metadata.generation", "int64") },
    { given: { generation: 1.5 }, error: about("number 1.5", "ObjectMeta.metadata.generation", "int64") },
    {
      given: { generation: 1e20 },
      error: about("number 100000000000000000000", "ObjectMeta.metadata.generation", "int64"),
    },
    { given: { labels: [] }, error: about("array", "ObjectMeta.metadata.labels", "map[string]string") },
    { given: { labels: { a: {} } }, error: about("object", "ObjectMeta.metadata.labels", "string") },
    { given: { finalizers: "a" }, error: about("string", "ObjectMeta.metadata.finalizers", "[]string") },
    {
      given: { ownerReferences: [{ controller: "x" }] },
      error: about("string", "OwnerReference.metadata.ownerReferences.controller", "bool"),
    },
    {
      given: { labels: 1, name: 2 },
      error: about("number", "ObjectMeta.metadata.labels", "map[string]string"),
    },
    // A timestamp ends the decoding, so its error wins.
    {
      given: { annotations: 1, creationTimestamp: 3 },
      error: about("number", "ObjectMeta.metadata.creationTimestamp", "string"),
    },
    {
      given: { annotations: 1, creationTimestamp: 'x"' },
      error: time('"x\\""', `${layout}"x\\"" as "2006"`),
    },
    { given: { creationTimestamp: "2020-01-01" }, error: time('"2020-01-01"', `${layout}"" as "T"`) },
    {
      given: { creationTimestamp: "2020-13-01T00:00:00Z" },
      error: time('"2020-13-01T00:00:00Z"', ": month out of range"),
    },
    {
      given: { creationTimestamp: "2021-02-29T00:00:00Z" },
      error: time('"2021-02-29T00:00:00Z"', ": day out of range"),
    },
    {
      given: { creationTimestamp: "2020-01-01T25:00:00Z" },
      error: time('"2020-01-01T25:00:00Z"', ": hour out of range"),
    },
    {
      given: { creationTimestamp: "2020-01-01T05:00:00Zé" },
      error: time('"2020-01-01T05:00:00Z\\xc3\\xa9"', ': extra text: "\\xc3\\xa9"'),
    },
  ])("When metadata is $given, it should return Go's error", ({ given, error }) => {
    expect(decode(given).error).toBe(error);
  });

  test("When the value itself is of a wrong type, it should name no field", () => {
    expect(decodeGo({ of: "struct", name: "v1.Thing", fields: {} }, []).error).toBe(
      "json: cannot unmarshal array into Go value of type v1.Thing",
    );
  });
});
