import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The central loop of Lambda's Node runtime, for machines where AWS's own client cannot be compiled: next, handler,
 * response. It replaces only the runtime's protocol, not its logging or error types.
 */
const { AWS_LAMBDA_RUNTIME_API = "", LAMBDA_TASK_ROOT = "", _HANDLER = "" } = process.env;
const runtime = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const [file = "", name = ""] = _HANDLER.split(".");
const loaded: Record<string, (event: unknown, context: object) => Promise<unknown>> = await import(
  pathToFileURL(join(LAMBDA_TASK_ROOT, `${file}.mjs`)).href
);

for (;;) {
  const next = await fetch(`${runtime}/invocation/next`);
  const awsRequestId = next.headers.get("lambda-runtime-aws-request-id") ?? "";
  const deadlineMs = Number(next.headers.get("lambda-runtime-deadline-ms"));
  const context = { awsRequestId, getRemainingTimeInMillis: () => deadlineMs - Date.now() };
  const post = (outcome: "response" | "error", body: unknown) =>
    fetch(`${runtime}/invocation/${awsRequestId}/${outcome}`, { method: "POST", body: JSON.stringify(body) });
  try {
    await post("response", await loaded[name]?.(await next.json(), context));
  } catch (error) {
    const { name: errorType, message: errorMessage } =
      error instanceof Error ? error : new Error(String(error));
    await post("error", { errorType, errorMessage });
  }
}
