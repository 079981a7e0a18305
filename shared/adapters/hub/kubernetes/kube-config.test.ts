import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { EnvironmentError } from "../../settings/environment.ts";
import { serverOf } from "./credentials.ts";
import { fileKubeConfig, inClusterKubeConfig } from "./kube-config.ts";

const token = "sha256~planted-secret-token";

const folder = sharedFolder();
let written = 0;

function aFile(content: string): string {
  const path = join(folder.path, `kubeconfig-${++written}`);
  writeFileSync(path, content);
  return path;
}

const two = `
apiVersion: v1
kind: Config
current-context: west
clusters:
- {name: west, cluster: {server: "https://west.example.com:6443", certificate-authority: pki/ca.crt}}
- {name: east, cluster: {server: "https://east.example.com:6443"}}
users:
- {name: robot, user: {token: "${token}"}}
- {name: pod, user: {tokenFile: run/token}}
contexts:
- {name: west, context: {cluster: west, user: robot}}
- {name: east, context: {cluster: east, user: pod}}
`;

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message;
    throw error;
  }
  throw new Error("it was not rejected");
}

describe("a kubeconfig in a file", () => {
  test("When no context is given, it should be the current one", () => {
    expect(serverOf(fileKubeConfig(aFile(two))).href).toBe("https://west.example.com:6443/");
  });

  test("When a context is given, it should be that one", () => {
    expect(serverOf(fileKubeConfig(aFile(two), "east")).href).toBe("https://east.example.com:6443/");
  });

  test("When several files are named, they should be merged as kubectl merges them", () => {
    const own = aFile(
      "kind: Config\nclusters:\n- {name: east, cluster: {server: https://mine.example.com}}\n",
    );
    const paths = ["", "/nowhere/kubeconfig", own, aFile(two)].join(delimiter);
    expect(serverOf(fileKubeConfig(paths)).href).toBe("https://west.example.com:6443/");
    expect(serverOf(fileKubeConfig(paths, "east")).href).toBe("https://mine.example.com/");
  });

  test("When a context does not exist, it should name those that do", () => {
    const path = aFile(two);
    expect(refusal(() => fileKubeConfig(path, "north"))).toBe(
      `The kubeconfig ${path} has no context north; it has west, east.`,
    );
  });

  test("When it names files, their paths should be relative to its folder", () => {
    const path = aFile(two);
    const config = fileKubeConfig(path, "east");
    expect(config.getCluster("west")?.caFile).toBe(join(path, "../pki/ca.crt"));
    expect(config.getCurrentUser()?.authProvider).toEqual({
      name: "tokenFile",
      config: { tokenFile: join(path, "../run/token") },
    });
  });

  test("When a token file is replaced, its new content should be the token", async () => {
    const path = aFile(two.replace("run/token", "token"));
    writeFileSync(join(folder.path, "token"), "one\n");
    const options = { headers: {} };
    await fileKubeConfig(path, "east").applyToHTTPSOptions(options);
    expect(options.headers).toEqual({ Authorization: "Bearer one\n" });
  });

  test.for([
    ["is not YAML", `users: [{name: a, user: {token: "${token}"}\nkind: Config`, "in line 2"],
    ["is empty", "", "input is empty"],
    ["is something else", `null # ${token}`, "does not have a kubeconfig's fields"],
    ["has a cluster without a name", "clusters: [{cluster: {}}]", "clusters[0].name is missing"],
    ["has a server that is not a string", "clusters: [{name: a, cluster: {server: 3}}]", "fields"],
  ] as const)("When it $0, it should say so and quote nothing of it", ([, content, says]) => {
    const path = aFile(content);
    const message = refusal(() => fileKubeConfig(path));
    expect(message).toContain(`The kubeconfig ${path} is invalid: `);
    expect(message).toContain(says);
    expect(message).not.toContain("planted");
  });

  test.for([
    ["does not exist", 'current-context: "zz"', 'current-context "zz" does not exist'],
    ["is not set", "current-context: ''", "current-context is not set"],
  ] as const)("When its current context %s, it should name the file and the contexts", ([, line, says]) => {
    const path = aFile(two.replace(/^current-context:.*$/m, line));
    expect(refusal(() => fileKubeConfig(path))).toBe(
      `The kubeconfig ${path}: ${says}; it has west, east. Set it, or use --context.`,
    );
  });

  test("When the file does not exist, it should say so", () => {
    const path = join(folder.path, "none");
    expect(refusal(() => fileKubeConfig(path))).toBe(`The kubeconfig ${path} cannot be read (ENOENT).`);
  });

  test.for([
    { title: "no context", content: "clusters: []", says: "names no cluster" },
    { title: "no user", content: two.replace("user: robot", "user: nobody"), says: "names no user" },
    {
      title: "an invalid server URL",
      content: two.replace("https://west.example.com:6443", "west.example.com"),
      says: "cluster west has no valid server URL",
    },
    {
      title: "a server without TLS",
      content: two.replace("https://west", "http://west"),
      says: "cluster west would send credentials in plain text",
    },
  ])("When it has $title, it should be rejected before the first request", ({ content, says }) => {
    expect(refusal(() => serverOf(fileKubeConfig(aFile(content))))).toContain(says);
  });
});

test("When the process does not run in a pod, there should be no ServiceAccount", () => {
  expect(refusal(() => inClusterKubeConfig({}))).toContain("does not run in a pod");
});
