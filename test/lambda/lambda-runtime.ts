import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedTool } from "../../infra/tool-folder.ts";

/** A program that runs a Lambda artefact, and its name in a test's title. */
export type LambdaRuntime = Readonly<{ name: string; program: string }>;

/**
 * AWS's runtime interface client, compiled on first use (cmake, make, g++, xz). Where that fails the plain loop stands
 * in, and the titles of the tests say so; in CI it is a failure.
 */
export async function lambdaRuntime(): Promise<LambdaRuntime> {
  try {
    const folder = await installedTool("lambda-runtime", console.warn);
    const client = join(folder, "node_modules/aws-lambda-ric");
    if (!existsSync(join(client, "rapid-client.node"))) throw new Error("its addon was not compiled");
    return { name: "AWS's runtime interface client", program: join(client, "index.mjs") };
  } catch (error) {
    if (process.env.CI) throw error;
    console.warn(
      "AWS's RUNTIME INTERFACE CLIENT IS NOT USED, only a plain loop that speaks its protocol:",
      error,
    );
    return {
      name: "the plain loop, since AWS's runtime interface client could not be built",
      program: fileURLToPath(new URL("plain-runtime.ts", import.meta.url)),
    };
  }
}
