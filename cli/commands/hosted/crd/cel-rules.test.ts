import { expect, test } from "vitest";
import { readSchema } from "#shared/domain/crd/schema.ts";
import { compileRules } from "./cel-rules.ts";

type Fields = Readonly<Record<string, unknown>>;

function evaluate(rule: string, schema: Fields, self: unknown, stored?: unknown, more: Fields = {}) {
  const compiled = compileRules(readSchema({ ...schema, "x-kubernetes-validations": [{ rule, ...more }] }));
  return compiled.rules?.[0]?.rule(self, stored === undefined ? undefined : { value: stored }, compiled);
}

const string = { type: "string" };
const integer = { type: "integer" };
const fields = (properties: Fields) => ({ type: "object", properties });
const list = (items: Fields, more: Fields = {}) => ({ type: "array", items, ...more });

test.for([
  { rule: "self.x > 2 && self.x % 2 == 1", schema: fields({ x: integer }), self: { x: 3 }, result: true },
  { rule: "self.x > 2.5", schema: fields({ x: { type: "number" } }), self: { x: 3 }, result: true },
  { rule: "has(self.x) ? self.x == '' : true", schema: fields({ x: string }), self: {}, result: true },
  {
    rule: "self.?a.b.orValue('') == 'x'",
    schema: fields({ a: fields({ b: string }) }),
    self: {},
    result: false,
  },
  {
    rule: "self.exists_one(x, x.t == 'A') && self.all(x, x.t in ['A', 'B'])",
    schema: list(fields({ t: string })),
    self: [{ t: "A" }, { t: "B" }],
    result: true,
  },
  {
    rule: "self.__namespace__ == 'n' && self.a__dash__b == 1",
    schema: fields({ namespace: string, "a-b": integer }),
    self: { namespace: "n", "a-b": 1 },
    result: true,
  },
  {
    rule: "self.all(key, self[key] == 1)",
    schema: { type: "object", additionalProperties: integer },
    self: { "a-b": 1 },
    result: true,
  },
  { rule: "type(self) == int", schema: { "x-kubernetes-int-or-string": true }, self: 5, result: true },
  { rule: "self.matches('^a+$')", schema: string, self: "aaa", result: true },
  { rule: "self.contains('.matches(')", schema: string, self: "x.matches(y)", result: true },
  { rule: "self.find('[0-9]+') == '42'", schema: string, self: "x42y7", result: true },
  { rule: "self.find('[0-9]+') == ''", schema: string, self: "x", result: true },
  {
    rule: "isURL(self) && url(self).getScheme() == 'https'",
    schema: string,
    self: "HTTPS://a.b",
    result: true,
  },
  { rule: "url(self).getHost() == 'a.b:1'", schema: string, self: "https://u@a.b:1/c?x=1", result: true },
  {
    rule: "url(self).getHostname() + url(self).getPort() == '::11'",
    schema: string,
    self: "https://[::1]:1/",
    result: true,
  },
  { rule: "url(self).getEscapedPath() == '/c%20d'", schema: string, self: "https://a.b/c%20d", result: true },
  {
    rule: "url(self).getQuery() == {'x': ['1', '2']}",
    schema: string,
    self: "https://a.b?x=1&x=2",
    result: true,
  },
  { rule: "isIP(self) && ip(self).family() == 6", schema: string, self: "::1", result: true },
  { rule: "isIP(self)", schema: string, self: "::ffff:1.2.3.4", result: false },
  {
    rule: "cidr(self).ip().family() == 4 && cidr(self).prefixLength() == 24",
    schema: string,
    self: "10.0.0.0/24",
    result: true,
  },
  { rule: "isCIDR(self)", schema: string, self: "10.0.0.0/33", result: false },
  {
    rule: "!format.dns1123Subdomain().validate(self).hasValue()",
    schema: string,
    self: "a.b-c",
    result: true,
  },
  {
    rule: "!format.qualifiedName().validate(self).hasValue()",
    schema: string,
    self: "a.b/C_d",
    result: true,
  },
  { rule: "!format.labelValue().validate(self).hasValue()", schema: string, self: "a b", result: false },
  {
    rule: "self > timestamp('2026-01-01T00:00:00Z')",
    schema: { ...string, format: "date-time" },
    self: "2026-02-01T00:00:00Z",
    result: true,
  },
  { rule: "self > duration('1m')", schema: { ...string, format: "duration" }, self: "2m", result: true },
])("When $rule is evaluated on $self, it should return $result", ({ rule, schema, self, result }) => {
  expect(evaluate(rule, schema, self)).toBe(result);
});

const set = { "x-kubernetes-list-type": "set" };
const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };

test.for([
  {
    name: "a set in another order",
    schema: list(string, set),
    stored: ["a", "b"],
    self: ["b", "a"],
    equal: true,
  },
  { name: "another set", schema: list(string, set), stored: ["a", "b"], self: ["b", "c"], equal: false },
  { name: "a smaller set", schema: list(string, set), stored: ["a", "b"], self: ["b"], equal: false },
  {
    name: "a list in another order",
    schema: list(string),
    stored: ["a", "b"],
    self: ["b", "a"],
    equal: false,
  },
  {
    name: "a list with keys in another order",
    schema: fields({ x: list(fields({ k: string, v: integer }), keyed) }),
    stored: {
      x: [
        { k: "a", v: 1 },
        { k: "b", v: 2 },
      ],
    },
    self: {
      x: [
        { k: "b", v: 2 },
        { k: "a", v: 1 },
      ],
    },
    equal: true,
  },
  {
    name: "a list with keys and another value",
    schema: list(fields({ k: string, v: integer }), keyed),
    stored: [{ k: "a", v: 1 }],
    self: [{ k: "a", v: 2 }],
    equal: false,
  },
  { name: "a field more", schema: fields({ x: integer }), stored: {}, self: { x: 1 }, equal: false },
])(
  "When the stored value is compared with $name, equality should be $equal",
  ({ schema, self, stored, equal }) => {
    expect(evaluate("self == oldSelf", schema, self, stored)).toBe(equal);
  },
);

test("When oldSelf is optional, it should be optional in the rule", () => {
  const rule = "oldSelf.hasValue() ? self == oldSelf.value() : self == 'new'";
  const optional = { optionalOldSelf: true };
  expect(evaluate(rule, string, "new", undefined, optional)).toBe(true);
  expect(evaluate(rule, string, "old", "old", optional)).toBe(true);
  expect(evaluate(rule, string, "other", "old", optional)).toBe(false);
});

test.for([
  { rule: "self.a.b == ''", self: {}, result: { refused: "no such key: a" } },
  { rule: "self.l[3] == ''", self: { l: ["x"] }, result: { refused: "index out of bounds: 3" } },
  { rule: "self.l.telepathy()", self: { l: [] }, result: { unknown: expect.stringContaining("telepathy") } },
  { rule: "self.l ||| true", self: {}, result: { unknown: expect.any(String) } },
  { rule: "self.a", self: { a: { b: "x" } }, result: { unknown: "the rule returns neither true nor false" } },
  { rule: "self.n.matches('(')", self: { n: "x" }, result: { unknown: expect.stringContaining("regexp") } },
])(
  "When $rule cannot be evaluated, it should distinguish a refusal from an unsupported rule: $result",
  ({ rule, self, result }) => {
    const schema = fields({ a: fields({ b: string }), l: list(string), n: string });
    expect(evaluate(rule, schema, self)).toEqual(result);
  },
);

test("When a pattern would hang JavaScript, it should be evaluated in linear time", () => {
  expect(evaluate("self.matches('^(([a-z])+.)+[A-Z]([a-z])+$')", string, "a".repeat(5000))).toBe(false);
});
