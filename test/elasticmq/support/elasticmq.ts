import { join } from "node:path";
import { succeeded } from "../../../infra/run-program.ts";
import { cached, type Log } from "../../cluster/support/programs/cache.ts";
import { type ServerProcess, startServer } from "../../cluster/support/programs/server-process.ts";
import { freePort } from "../../support/servers/free-port.ts";

const project = join(import.meta.dirname, "../server");
const configuration = join(project, "elasticmq.conf");

/** Returns the folder of ElasticMQ's jars, fetched by Maven when it is not cached. */
export const elasticmqLibraries = (log: Log): Promise<string> =>
  cached("elasticmq", { files: [join(project, "pom.xml")], texts: [] }, async (folder) => {
    log("fetching ElasticMQ with Maven, once");
    const args = ["-q", "--batch-mode", "dependency:copy-dependencies", `-DoutputDirectory=${folder}`];
    await succeeded("mvn", args, { cwd: project });
  });

export type Elasticmq = ServerProcess & Readonly<{ endpoint: string }>;

const isUp = (endpoint: string) =>
  fetch(endpoint).then(
    () => true,
    () => false, // not listening yet
  );

export type ElasticmqOptions = Readonly<{
  /** Folder of its log. */
  folder: string;
  /** Default: any free port. */
  port?: number;
  /** Overrides of the configuration, by path. */
  settings?: Readonly<Record<string, string>>;
}>;

/** Starts ElasticMQ on this machine, with its messages in memory. */
export async function startElasticmq(options: ElasticmqOptions): Promise<Elasticmq> {
  const { folder, port = await freePort(), settings = {} } = options;
  const libraries = await elasticmqLibraries((line) => console.log(line));
  const own = {
    "config.file": configuration,
    "node-address.host": "127.0.0.1",
    "node-address.port": String(port),
    "rest-sqs.bind-hostname": "127.0.0.1",
    "rest-sqs.bind-port": String(port),
    ...settings,
  };
  const properties = Object.entries(own).map(([path, value]) => `-D${path}=${value}`);
  const args = ["-Xmx256m", ...properties, "-cp", join(libraries, "*"), "org.elasticmq.server.Main"];
  const endpoint = `http://127.0.0.1:${port}`;
  const log = join(folder, "elasticmq.log");
  const server = await startServer("java", args, { log, isReady: () => isUp(endpoint) });
  return { ...server, endpoint };
}
