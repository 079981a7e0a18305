import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paths } from "../../../infra/paths.ts";
import { finished } from "../../../infra/run-program.ts";
import { outputPattern, stepsOf } from "../../support/documentation/console-blocks.ts";
import { isForCluster } from "../../support/documentation/not-run.ts";
import { documentationPages } from "../../support/documentation/pages.ts";
import { sharedFolder } from "../../support/setup/temporary-folder.ts";
import { startCluster, type TestCluster } from "../support/clusters/cluster.ts";
import { hubCrds } from "../support/manifests/crds.ts";
import { kubectl as builtKubectl } from "../support/programs/programs.ts";

/* The blocks of the documentation that need an API server; test/system/console-blocks.test.ts runs the others. */

let hub: TestCluster | undefined;
const folder = sharedFolder();

const env = () => ({
  HOME: folder.path,
  PATH: [join(folder.path, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
  KUBECONFIG: hub?.admin.kubeConfigFile,
});

const inShell = (command: string) =>
  finished("sh", ["-c", `exec 2>&1; ${command}`], { cwd: paths.root, env: env() });

beforeAll(async () => {
  await mkdir(join(folder.path, "bin"));
  const kubectl = await builtKubectl((line) => console.log(line));
  // What the pages use of oc is kubectl's.
  for (const name of ["kubectl", "oc"]) await symlink(kubectl, join(folder.path, "bin", name));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${join(paths.root, "cli/hubrelay.js")}" "$@"\n`;
  await writeFile(join(folder.path, "bin/hubrelay"), program, { mode: 0o755 });
  // A page creates TALM's kinds.
  hub = await startCluster({
    crds: (await hubCrds()).filter(({ group }) => group !== "ran.openshift.io"),
  });
  for (const what of [
    ...["openshift-config", "clusters", "clusters-shop"].map((name) => `namespace ${name}`),
    ...["cluster", "hosted-clusters"].map((name) => `-f examples/hub/${name}.yaml`),
  ]) {
    const { code, stdout } = await inShell(`kubectl create ${what}`);
    expect(code, stdout).toBe(0);
  }
}, 300_000);
afterAll(() => hub?.stop());

const pages = (await documentationPages()).flatMap(({ page, text }) => {
  const steps = stepsOf(text).filter(({ command }) => isForCluster(page, command));
  return steps.length > 0 ? [{ page, steps }] : [];
});

test.for(pages)(
  "When the commands on $page are run on a hub, the hub should accept them",
  async ({ steps }) => {
    for (const { command, shown } of steps) {
      const { code, stdout } = await inShell(command);
      // `hubrelay verify` ends with 1, since the hub lacks what controllers would have written.
      expect(command.startsWith("hubrelay verify") ? [0, 1] : [0], `${command}: ${stdout}`).toContain(code);
      if (shown.length > 0 && !outputPattern(shown).test(stdout))
        expect(stdout, command).toBe(shown.join("\n"));
    }
  },
);
