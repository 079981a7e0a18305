import { describe, expect, test } from "vitest";
import { certificate } from "../../../test/support/servers/server-certificate.ts";
import { accessEndIssues, accessEnds, endText, type Validity } from "./access-ends.ts";

const now = new Date("2026-03-01T02:00:00Z");
const none: ReadonlyMap<string, Validity> = new Map();
const seconds = (time: string) => Date.parse(time) / 1000;

/** A token with these claims. */
const token = (claims: unknown) =>
  ["header", JSON.stringify(claims), "signature"]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");
const login = (password: string) => Buffer.from(`robot:${password}`).toString("base64");
const pullSecret = (auths: Readonly<Record<string, unknown>>) => JSON.stringify({ auths });

const lasting = { iat: seconds("2026-01-01T00:00:00Z"), exp: seconds("2026-03-10T00:00:00Z") };
const ofToken = { what: "token", name: "m.lan", ends: "2026-03-10T00:00:00Z" } as const;

describe("tokens", () => {
  test.for<readonly [string, unknown]>([
    ["the password", { auth: login(token(lasting)) }],
    ["an identity token", { identitytoken: token(lasting) }],
    ["a registry token", { registrytoken: token({ exp: lasting.exp }) }],
  ])("When %s has an end, it should be found", ([, entry]) => {
    expect(accessEnds({ pullSecret: pullSecret({ "m.lan": entry }) }, none)).toEqual([ofToken]);
  });

  test.for<readonly [string, string]>([
    ["is a password", "p4ss.w0rd.x"],
    ["has no end", token({ iat: lasting.iat })],
    ["is renewed by a program", token({ iat: lasting.exp - 3600, exp: lasting.exp })],
    ["has an impossible end", token({ exp: 1e300 })],
  ])("When it %s, it should have no end", ([, password]) => {
    expect(accessEnds({ pullSecret: pullSecret({ "m.lan": { auth: login(password) } }) }, none)).toEqual([]);
  });

  test("When the pull secret is invalid, nothing should be found", () => {
    expect(accessEnds({ pullSecret: "{" }, none)).toEqual([]);
  });
});

describe("bundles and certificates", () => {
  const ends = "2120-01-01T00:00:00Z";
  test("When bundles have certificates, the last one should count", () => {
    const bundle = `# lab\n${certificate}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    expect(accessEnds({ authorities: bundle, authoritiesOf: { "m.lan:5000": certificate } }, none)).toEqual([
      { what: "authorities", name: "cluster", ends },
      { what: "authorities", name: "m.lan:5000", ends },
    ]);
  });

  test("When registries present certificates, those that end first should come first", () => {
    const valid = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
    const certificates = new Map([
      ["b.lan", valid("2026-01-01T00:00:00Z", "2026-05-01T00:00:00Z")],
      ["a.lan", valid("2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z")],
      ["renewed.lan", valid("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z")],
    ]);
    expect(accessEnds({}, certificates).map(({ name }) => name)).toEqual(["a.lan", "b.lan"]);
  });

  test("When there are many, those that end first should be kept", () => {
    const certificates = new Map(
      Array.from({ length: 40 }, (_, index) => [
        `r${index}.lan`,
        { from: undefined, to: new Date(now.getTime() + (40 - index) * 86_400_000) },
      ]),
    );
    const kept = accessEnds({}, certificates);
    expect(kept).toHaveLength(20);
    expect(kept[0]?.name).toBe("r39.lan");
  });
});

test("When something ends within two weeks, there should be a warning, and none before", () => {
  const later = { ...ofToken, name: "later.lan", ends: "2026-03-16T00:00:00Z" };
  const bundle = { what: "authorities", name: "cluster", ends: "2026-02-01T00:00:00Z" } as const;
  expect(accessEndIssues([bundle, ofToken, later], now)).toMatchObject([
    {
      code: "RegistryAccessEnds",
      severity: "warning",
      message:
        "The bundle of certificate authorities that the cluster trusts ended, at 2026-02-01T00:00:00Z: nodes cannot pull from then on",
    },
    {
      message:
        "The token for registry m.lan ends in 8 days, at 2026-03-10T00:00:00Z: nodes cannot pull from then on",
      remedy: "Write a new token to the pull secret.",
    },
  ]);
});

test.for([
  ["2026-03-01T12:00:00Z", "ends today"],
  ["2026-03-02T02:00:00Z", "ends in 1 day"],
  ["2026-03-03T02:00:00Z", "ends in 2 days"],
] as const)("When a token ends at %s, the text should say that it %s", ([ends, when]) => {
  expect(endText({ ...ofToken, ends }, now)).toBe(`The token for registry m.lan ${when}, at ${ends}`);
});
