import { expect, onTestFinished, test } from "vitest";
import { startHealthServer } from "./health-server.ts";

const metrics = { contentType: "text/plain; version=0.0.4", text: async () => "hubrelay_x 1\n" };

async function serve(notReady: () => string | undefined = () => undefined) {
  const server = await startHealthServer({ port: 0, notReady, metrics });
  onTestFinished(() => server.close());
  return async (path: string) => {
    const response = await fetch(`http://${server.address}${path}`);
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      text: await response.text(),
    };
  };
}

test("When all is well, it should be alive, ready and measured", async () => {
  const ask = await serve();
  expect(await ask("/healthz")).toMatchObject({ status: 200 });
  expect(await ask("/readyz?verbose")).toMatchObject({ status: 200 });
  expect(await ask("/metrics")).toEqual({ status: 200, type: metrics.contentType, text: "hubrelay_x 1\n" });
});

test("When the process is not ready, it should say why, and still be alive", async () => {
  let reason: string | undefined = "The queue is unavailable.";
  const ask = await serve(() => reason);
  expect(await ask("/readyz")).toMatchObject({ status: 503, text: "The queue is unavailable.\n" });
  expect(await ask("/healthz")).toMatchObject({ status: 200 });
  reason = undefined;
  expect(await ask("/readyz")).toMatchObject({ status: 200 });
});

test("When another path is requested, it should list the paths", async () => {
  const ask = await serve();
  expect(await ask("/")).toMatchObject({ status: 404, text: expect.stringContaining("/metrics") });
});

test("When the port is taken, it should say which", async () => {
  const first = await startHealthServer({ port: 0, notReady: () => undefined, metrics });
  onTestFinished(() => first.close());
  const port = Number(first.address.split(":").at(-1));
  await expect(startHealthServer({ port, notReady: () => undefined, metrics })).rejects.toThrow(
    `The port ${port} for health and metrics is not available`,
  );
});
