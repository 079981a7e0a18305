import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { kubeConfigFor, respondJson, respondStatus, scriptedApi } from "../support/servers/scripted-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const daySeconds = 86_400;
const nowSeconds = () => Math.floor(Date.now() / 1000);
const accountPath = /^\/api\/v1\/namespaces\/hubrelay\/serviceaccounts\/hubrelay-([a-z-]+)\/token$/;

/** A token of an account, in the form of a JSON Web Token, whose last part must never be shown. */
function tokenOf(name: string, days: number): string {
  const claims = { exp: nowSeconds() + days * daySeconds + 3_600, sub: name };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.planted`;
}

const subjectOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sub;

type Hub = Readonly<{
  /** The account that the hub sees in a token of this one. */
  seenAs?: (name: string) => string;
  /** The hub makes no token of this account. */
  refuses?: string;
  mayCreate?: boolean;
}>;

/** A hub that makes tokens of accounts, and a store on AWS with these kubeconfigs, each by its token. */
async function aSystem(stored: Readonly<Record<string, string>>, hub: Hub = {}) {
  const { seenAs = (name) => `system:serviceaccount:hubrelay:hubrelay-${name}`, refuses } = hub;
  const api = await scriptedApi(({ path, body, headers }, response) => {
    const [, name] = accountPath.exec(path) ?? [];
    if (name === refuses && name) return respondStatus(response, 403, "Forbidden");
    if (name) {
      const days = JSON.parse(body).spec.expirationSeconds / daySeconds;
      const status = { token: tokenOf(name, days), expirationTimestamp: endAfter(days) };
      return respondJson(response, 201, { status });
    }
    if (path.endsWith("/selfsubjectaccessreviews"))
      return respondJson(response, 201, { status: { allowed: hub.mayCreate ?? true } });
    const [, token = ""] = String(headers.authorization).split(" ");
    return respondJson(response, 201, { status: { userInfo: { username: seenAs(subjectOf(token)) } } });
  });
  const secrets = new Map(
    Object.entries(stored).map(([name, token]) => [
      `/hubrelay/prod/${name}`,
      kubeConfigFor(api.url, { token }).exportConfig(),
    ]),
  );
  const store = await scriptedApi(({ body, headers }, response) => {
    const { SecretId, Name, SecretString } = JSON.parse(body);
    const id = String(SecretId ?? Name);
    const isNew = headers["x-amz-target"] === "secretsmanager.CreateSecret";
    if (!isNew && !secrets.has(id))
      return respondJson(response, 400, { __type: "ResourceNotFoundException", message: "it is not there" });
    if (SecretString) secrets.set(id, SecretString);
    const value = secrets.get(id);
    return respondJson(response, 200, {
      ARN: "arn:any",
      Name: id,
      SecretString: value,
      Parameter: { Value: value },
    });
  });
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, "kubeconfig"),
    kubeConfigFor(api.url, { token: tokenOf("person", 1) }).exportConfig(),
  );
  const variables = {
    KUBECONFIG: join(folder, "kubeconfig"),
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL: store.url,
    AWS_ACCESS_KEY_ID: "any",
    AWS_SECRET_ACCESS_KEY: "any",
    HUBRELAY_KUBECONFIGS: "secretsmanager:/hubrelay/prod",
  };
  return {
    api,
    secrets,
    created: () => api.calls.flatMap(({ path }) => accountPath.exec(path)?.[1] ?? []),
    async rotate(...args: readonly string[]) {
      const { stdout, stderr, exitCode } = await hubrelay(["credentials", "rotate", "-o", "json", ...args], {
        variables,
      });
      expect(stdout + stderr).not.toContain("planted");
      return { exitCode, stderr, logins: stdout === "" ? [] : JSON.parse(stdout).logins };
    },
    run: (...args: readonly string[]) => hubrelay(args, { variables }),
  };
}

function endAfter(days: number): string {
  return new Date((nowSeconds() + days * daySeconds + 3_600) * 1000).toISOString();
}

const names = [...controllers.map(({ name }) => name), "resync"];

describe("hubrelay credentials rotate", () => {
  test.for([
    {
      store: "secretsmanager",
      command:
        "aws secretsmanager update-secret --secret-id /hubrelay/prod/resync --kms-key-id alias/company",
    },
    {
      store: "parameterstore",
      command:
        "aws ssm get-parameter --name /hubrelay/prod/resync --with-decryption --query Parameter.Value --output text | aws ssm put-parameter --name /hubrelay/prod/resync --type SecureString --tier Intelligent-Tiering --overwrite --key-id alias/company --value file:///dev/stdin",
    },
  ])(
    "When --kms-key is given for a kubeconfig that exists in $store, a note should say that it keeps its key, and how to change that",
    async ({ store, command }) => {
      const note = `--kms-key is for kubeconfigs that are created: this one keeps its key. To change it: ${command}`;
      const { rotate } = await aSystem({ resync: tokenOf("resync", 60) });
      const args = ["--store", `${store}:/hubrelay/prod`, "--kms-key", "alias/company", "--dry-run"];
      const kept = await rotate(...args, "--function", "resync", "--function", "mirror-config");
      expect(kept.exitCode).toBe(0);
      expect(kept.logins).toMatchObject([
        { function: "mirror-config", state: "would be created" },
        { function: "resync", state: "kept", note },
      ]);
      expect(kept.logins[0]).not.toHaveProperty("note");
      const replaced = await rotate(...args, "--function", "resync", "--all");
      expect(replaced.logins).toMatchObject([{ state: "would be rotated", note }]);
    },
  );

  test("When nothing is stored, each function should get a kubeconfig of its own account, and the next run do nothing", async () => {
    const { rotate, secrets, created, api } = await aSystem({});
    const first = await rotate();
    expect(first.exitCode).toBe(0);
    expect(first.logins).toEqual(
      names.map((name) => ({
        function: name,
        state: "created",
        daysLeft: 90,
        until: expect.stringMatching(/^\d{4}-/),
      })),
    );
    expect([...secrets.keys()].sort()).toEqual(names.map((name) => `/hubrelay/prod/${name}`));
    for (const name of names) {
      const { users, clusters } = JSON.parse(secrets.get(`/hubrelay/prod/${name}`) ?? "");
      expect(clusters[0].cluster.server).toBe(api.url);
      expect(subjectOf(users[0].user.token)).toBe(name);
    }
    const second = await rotate();
    expect(second.logins.map(({ state }: { state: string }) => state)).toEqual(names.map(() => "kept"));
    expect(created()).toHaveLength(names.length);
  });

  test.for([
    { days: 31, args: [], state: "kept", daysLeft: 31 },
    { days: 29, args: [], state: "rotated", daysLeft: 90 },
    { days: 29, args: ["--before", "14"], state: "kept", daysLeft: 29 },
    { days: -3, args: ["--days", "10"], state: "rotated", daysLeft: 10 },
    { days: 80, args: ["--all"], state: "rotated", daysLeft: 90 },
  ])("When a login has $days days left, with $args it should be $state", async (one) => {
    const { rotate, created } = await aSystem({ resync: tokenOf("old", one.days) });
    const { logins, exitCode } = await rotate("--function", "resync", ...one.args);
    expect(exitCode).toBe(0);
    expect(logins).toMatchObject([{ function: "resync", state: one.state, daysLeft: one.daysLeft }]);
    expect(created()).toEqual(one.state === "kept" ? [] : ["resync"]);
  });

  test("When the hub sees the new login as someone else, the old kubeconfig should stay", async () => {
    const { rotate, secrets } = await aSystem(
      { resync: tokenOf("old", 1), "mirror-config": tokenOf("old", 1) },
      { seenAs: (name) => `system:serviceaccount:hubrelay:hubrelay-${name === "resync" ? "other" : name}` },
    );
    const before = secrets.get("/hubrelay/prod/resync");
    const { logins, exitCode } = await rotate("--function", "resync", "--function", "mirror-config");
    expect(exitCode).toBe(1);
    expect(logins).toMatchObject([
      { function: "mirror-config", state: "rotated" },
      { function: "resync", state: "failed", note: expect.stringContaining("nothing was stored") },
    ]);
    expect(secrets.get("/hubrelay/prod/resync")).toBe(before);
  });

  test.for([
    { mayCreate: true, state: "would be rotated", exitCode: 0 },
    { mayCreate: false, state: "failed", exitCode: 1 },
  ])(
    "When it is a dry run and you may create tokens: $mayCreate, it should only show $state",
    async (one) => {
      const { rotate, secrets, created } = await aSystem({ resync: tokenOf("old", 1) }, one);
      const before = secrets.get("/hubrelay/prod/resync");
      const { logins, exitCode } = await rotate("--function", "resync", "--dry-run");
      expect({ exitCode, state: logins[0]?.state }).toEqual({ exitCode: one.exitCode, state: one.state });
      expect(secrets.get("/hubrelay/prod/resync")).toBe(before);
      expect(created()).toEqual([]);
    },
  );

  test("When a stored kubeconfig cannot be read, it should be replaced once nothing of it is wanted", async () => {
    const { rotate, secrets, api } = await aSystem({});
    secrets.set("/hubrelay/prod/resync", "apiVersion: v1\nkind: [");
    const { logins, exitCode } = await rotate("--function", "resync");
    expect(exitCode).toBe(1);
    expect(logins).toMatchObject([
      { state: "failed", note: expect.stringContaining("--all --replace-server") },
    ]);
    const all = await rotate("--function", "resync", "--all", "--replace-server");
    expect(all).toMatchObject({ exitCode: 0, logins: [{ state: "rotated", daysLeft: 90 }] });
    expect(secrets.get("/hubrelay/prod/resync")).toContain(api.url);
  });
});

describe("hubrelay doctor with HUBRELAY_KUBECONFIGS", () => {
  test("When logins are stored, it should report the days left of each, and what has none", async () => {
    const { run } = await aSystem({ resync: tokenOf("a", 40), "mirror-config": tokenOf("b", 5) });
    const { stdout } = await run("doctor", "-o", "json");
    const checks: readonly Readonly<{ name: string; state: string; found: string }>[] =
      JSON.parse(stdout).checks;
    const logins = checks.filter(({ name }) => name.startsWith("login of "));
    expect(logins.map(({ name }) => name)).toEqual(names.map((name) => `login of ${name}`));
    const byName = new Map(logins.map((check) => [check.name, check]));
    expect(byName.get("login of resync")).toMatchObject({
      state: "ok",
      found: expect.stringContaining("40 more days"),
    });
    expect(byName.get("login of mirror-config")).toMatchObject({
      state: "note",
      found: expect.stringContaining("5 more days"),
    });
    expect(byName.get("login of precache-plan")).toMatchObject({
      state: "problem",
      found: "It has no kubeconfig in the store.",
    });
  });
});
