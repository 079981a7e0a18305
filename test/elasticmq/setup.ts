import { missingPrograms } from "../cluster/support/programs/programs.ts";
import { elasticmqLibraries } from "./support/elasticmq.ts";

/** Runs once before all tests on ElasticMQ: reports what the machine lacks, and fetches the server. */
export async function setup(): Promise<void> {
  const packages = { java: "default-jre-headless", mvn: "maven", setpriv: "util-linux" };
  const missing = missingPrograms(packages, ".ci/install-elasticmq.sh");
  if (missing) throw new Error(`The tests on ElasticMQ cannot run here. ${missing}`);
  await elasticmqLibraries((line) => console.log(`test:elasticmq: ${line}`));
}
