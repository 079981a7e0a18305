import fc from "fast-check";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { inheritedNames } from "../support/outside-names/inherited-names.ts";

type Json = unknown;

/** Values on which code that trusts its input fails. */
const oddValues: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  " ",
  "*",
  "*.",
  "*.example.com",
  "a".repeat(5000),
  `registry.example.com/${"a".repeat(60)}!`,
  "quay.io/acme@sha256:0000",
  "quay.io/acme:latest",
  "https://quay.io/acme",
  "[::1]:5000/acme",
  "../../etc/passwd",
  "\u0000",
  "é",
  "\ud800",
  ...inheritedNames,
  [],
  [[]],
  {},
  { toString: 1, valueOf: 1 },
  JSON.parse('{"__proto__":{"name":"other"},"constructor":1}'),
  ["quay.io/acme", "quay.io/acme"],
];

const isRecord = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns every place in a document, as its path of keys. */
function placesIn(value: Json, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  const children = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, [...at, index]))
    : isRecord(value)
      ? Object.keys(value)
          .sort(byCodeUnit)
          .flatMap((key) => placesIn(value[key], [...at, key]))
      : [];
  return [at, ...children];
}

/** Returns the document with the value at a place replaced; `undefined` removes the field or item. */
function replaced(document: Json, [key, ...rest]: readonly (string | number)[], value: Json): Json {
  if (key === undefined) return value;
  if (Array.isArray(document)) {
    const items = document.map((item, index) => (index === key ? replaced(item, rest, value) : item));
    return items.filter((item) => item !== undefined);
  }
  if (!isRecord(document)) return document;
  const { [key]: _present, ...others } = document;
  const next = replaced(Object.hasOwn(document, key) ? document[key] : undefined, rest, value);
  return next === undefined ? others : { ...others, [key]: next };
}

type Mutation = (document: Json) => Json;

const mutation: fc.Arbitrary<Mutation> = fc
  .tuple(
    fc.nat(),
    fc.nat(),
    fc.oneof(fc.constantFrom(...oddValues), fc.constant(undefined), fc.jsonValue({ maxDepth: 3 })),
  )
  .map(([place, other, value]) => (document) => {
    const places = placesIn(document);
    const target = places[place % places.length] ?? [];
    const source = places[other % places.length] ?? [];
    // Every third change copies one part of the document over another: valid values in wrong places.
    const copied = source.reduce<Json>((part, key) => Object(part)[key], document);
    return replaced(document, target, place % 3 === 0 ? copied : value);
  });

/** Adds a field with such a name to a map, or gives a field that is there the name. */
const renaming: fc.Arbitrary<Mutation> = fc
  .tuple(
    fc.nat(),
    fc.constantFrom(...inheritedNames),
    fc.constantFrom<Json>(null, 1, "a", {}, ["a"], undefined),
  )
  .map(([place, name, added]) => (document) => {
    const fields = placesIn(document).filter((path) => typeof path.at(-1) === "string");
    const field = fields[place % fields.length] ?? [];
    const value = field.reduce<Json>((part, key) => Object(part)[key], document);
    const renamed = [...field.slice(0, -1), name];
    if (added !== undefined) return replaced(document, renamed, added);
    return replaced(replaced(document, field, undefined), renamed, value);
  });

/** Damages the text itself, as editors, templates and bad copies do. */
const damage: fc.Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.nat(),
    fc.constantFrom("", "\t", "---\n", "- ", ": ", "{{", "&a ", "*a", "\u0000", "}", "\r\n", "#", "'"),
  )
  .map(([place, inserted]) => (text) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + (inserted === "" ? 1 : 0));
  });

/** One to three values of the document, of any kind and in any place, are others than before. */
const mutations = fc.array(fc.oneof(mutation, renaming), { minLength: 1, maxLength: 3 });

/** The documents of a hub, of which a few were changed. */
export function mutatedDocuments(documents: readonly Json[]): fc.Arbitrary<readonly Json[]> {
  const change = fc.tuple(fc.nat(documents.length - 1), mutations);
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) =>
    changes.reduce(
      (all, [index, mutate]) =>
        all.with(
          index,
          mutate.reduce((value, one) => one(value), all[index]),
        ),
      documents,
    ),
  );
}

/** A manifest file that began as one of the documents and was changed in one to four ways. */
export function mutatedManifests(
  documents: readonly Json[],
  write: (document: Json) => string,
): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...documents), mutations, fc.array(damage, { maxLength: 1 }))
    .map(([document, changes, damages]) => {
      const changed = changes.reduce((value, mutate) => mutate(value), document);
      return damages.reduce((text, hurt) => hurt(text), write(changed));
    });
}
