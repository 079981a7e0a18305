import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paths } from "../../../../infra/paths.ts";
import { succeeded } from "../../../../infra/run-program.ts";
import { installedPythonTool } from "../../../../infra/tool-folder.ts";
import { freePort } from "../../../support/servers/free-port.ts";
import { startServer } from "../programs/server-process.ts";

/** An AWS account as moto plays it: it accepts any credentials and runs no function. */
export type AwsAccount = Readonly<{
  endpoint: string;
  /** For programs that use the account. */
  environment: Readonly<Record<string, string>>;
  /** The folder of AWS's command line. */
  bin: string;
  /** Runs AWS's command line and returns its output. */
  aws(...args: readonly string[]): Promise<unknown>;
  stop(): Promise<void>;
}>;

const region = "eu-central-1";

/** Starts an empty account. Installs moto and AWS's command line from PyPI on first use. */
export async function startAwsAccount(): Promise<AwsAccount> {
  const python = join(await installedPythonTool("moto", console.warn), "python");
  const bin = await installedPythonTool("aws-cli", console.warn);
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-aws-")));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${endpoint}/moto-api/`).then(
      ({ ok }) => ok,
      () => false, // not listening yet
    );
  const args = [join(paths.tools, "moto/server.py"), "--host", "127.0.0.1", "--port", String(port)];
  const server = await startServer(python, args, { log: join(folder, "moto.log"), isReady });
  stack.defer(() => server.end("SIGKILL"));
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: "any",
    AWS_SECRET_ACCESS_KEY: "any",
  };
  const running = stack.move();
  return {
    endpoint,
    environment,
    bin,
    async aws(...command) {
      // Its first version knows an address of its own for SQS, which the environment does not replace.
      const options = { cwd: paths.root, env: { ...process.env, ...environment } };
      const { stdout } = await succeeded(
        join(bin, "aws"),
        ["--endpoint-url", endpoint, "--output", "json", ...command],
        options,
      );
      return stdout.trim() ? JSON.parse(stdout) : undefined;
    },
    stop: () => running.disposeAsync(),
  };
}
