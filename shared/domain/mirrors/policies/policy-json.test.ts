import { describe, expect, test } from "vitest";
import { simpleRequirement } from "./fixtures.ts";
import { acceptAnything, encodePolicy, policyTemplate, reject } from "./policy-json.ts";

const always = () => true;

describe("encodePolicy", () => {
  test("When there are no scopes, it should write the default and leave other transports", () => {
    expect(encodePolicy({ default: acceptAnything, scopes: new Map() }, always)).toBe(`{
  "default": [
    {
      "type": "insecureAcceptAnything"
    }
  ],
  "transports": {
    "docker-daemon": {
      "": [
        {
          "type": "insecureAcceptAnything"
        }
      ]
    }
  }
}`);
  });

  test("When there are scopes, it should sort them, and give atomic those that it can hold", () => {
    const scopes = new Map([
      ["q.io/a/b/c", [reject]],
      ["*.io", [acceptAnything, simpleRequirement]],
      ["10.0.0.1", []],
    ]);
    const text = encodePolicy({ default: reject, scopes }, (scope) => scope.split("/").length <= 3);
    const { default: fallback, transports } = JSON.parse(text);
    expect(fallback).toEqual([reject]);
    expect(Object.keys(transports)).toEqual(["atomic", "docker", "docker-daemon"]);
    expect(Object.entries(transports.docker)).toEqual([
      ["*.io", [acceptAnything, simpleRequirement]],
      ["10.0.0.1", []],
      ["q.io/a/b/c", [reject]],
    ]);
    expect(Object.keys(transports.atomic)).toEqual(["*.io", "10.0.0.1"]);
    expect(text).toContain('"10.0.0.1": []');
  });

  test("When a string could end a script in HTML, it should be escaped as Go does it", () => {
    const text = encodePolicy(
      { default: acceptAnything, scopes: new Map([['<&>\u2028"\n', [reject]]]) },
      always,
    );
    expect(text).toContain('"\\u003c\\u0026\\u003e\\u2028\\"\\n": [');
  });

  test("When a scope is named like a number or a prototype, it should be written in its place", () => {
    const names = ["__proto__", "10", "9", "a"];
    const scopes = new Map(names.map((name) => [name, [reject]]));
    const text = encodePolicy({ default: acceptAnything, scopes }, () => false);
    expect([...text.matchAll(/^ {6}"(.+)": \[$/gm)].map(([, name]) => name)).toEqual(
      ["10", "9", "__proto__", "a", ""].filter(Boolean),
    );
  });

  test("When the template is read, it should mean what the empty policy means", () => {
    expect(JSON.parse(policyTemplate)).toEqual(
      JSON.parse(encodePolicy({ default: acceptAnything, scopes: new Map() }, always)),
    );
  });
});
