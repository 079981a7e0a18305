import { mkdir, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { paths } from "../../../infra/paths.ts";
import { finished } from "../../../infra/run-program.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { sharedFolder } from "../../support/setup/temporary-folder.ts";
import { startHub, type TestHub } from "../support/clusters/cluster.ts";
import { kubectl as builtKubectl } from "../support/programs/programs.ts";

let server: TestHub;
/** A folder with the package's commands, as npm links them. */
const folder = sharedFolder();
let program = "";

beforeAll(async () => {
  await mkdir(join(folder.path, "bin"));
  for (const [name, file] of Object.entries(packageJson.bin))
    await symlink(join(paths.root, file), join(folder.path, "bin", name));
  program = await builtKubectl((line) => console.log(line));
  server = await startHub();
  const hub = kubernetesHub(server.admin.kubeConfig);
  await hub.create({ ...windowObject({}), metadata: { namespace: "default", name: "nights" } });
  hub.close();
}, 300_000);
afterAll(() => server.stop());

async function kubectl(...args: readonly string[]) {
  const path = [join(folder.path, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const env = { HOME: folder.path, PATH: path, KUBECONFIG: server.admin.kubeConfigFile };
  const { code, stdout, stderr } = await finished(program, args, { cwd: folder.path, env });
  return { code, stdout, stderr };
}

test("When kubectl lists its plugins, hubrelay should be one, under a name that nothing else has", async () => {
  expect(await kubectl("plugin", "list", "--name-only")).toEqual({
    code: 0,
    stdout: expect.stringContaining("\nkubectl-hubrelay\n"),
    stderr: "",
  });
});

test("When kubectl calls it, it should read kubectl's hub, and name objects as kubectl does", async () => {
  const named = await kubectl("hubrelay", "windows", "-n", "default", "-o", "name");
  expect(named).toEqual({ code: 0, stdout: "maintenancewindow.hubrelay.dev/nights\n", stderr: "" });
  expect(await kubectl("get", "-n", "default", "-o", "name", named.stdout.trim())).toEqual(named);
});

test("When it is used wrongly, its exit code should be kubectl's", async () => {
  expect(await kubectl("hubrelay", "windows", "--nonsense")).toMatchObject({ code: 2, stdout: "" });
});

test("When a kubectl hubrelay command is completed, kubectl should ask hubrelay", async () => {
  const { stdout } = await kubectl("__complete", "hubrelay", "precache", "st");
  expect(stdout).toMatch(/^status\t.*\n:4\n/);
});
