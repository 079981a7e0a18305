import type { ServerResponse } from "node:http";
import { type ApiCall, respondJson, respondStatus } from "./scripted-api.ts";

/** How a scripted API responds to a list or a watch of Images. */
export type WatchResponder = (call: ApiCall, response: ServerResponse) => void;

export const anImage = (name: string, resourceVersion: string, uid = `uid-${name}`) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Image",
  metadata: { name, uid, resourceVersion },
});

export const listOf =
  (resourceVersion: string, ...items: readonly unknown[]): WatchResponder =>
  (_, response) =>
    respondJson(response, 200, { kind: "ImageList", metadata: { resourceVersion }, items });

/** Sends some of a response, and breaks the connection. */
export function cutOff(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": 2 * body.length });
  response.write(body, () => response.destroy());
}

export const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;

/** A watch that sends these texts, each in a packet of its own if the network allows, and stays open or ends. */
export function watchOf(texts: readonly string[], end: "open" | "ended" | "cut" = "open"): WatchResponder {
  return async (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    for (const text of texts) {
      response.write(text);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (end === "ended") response.end();
    if (end === "cut") response.destroy();
  };
}

export const quiet = watchOf([]);
export const refused =
  (code: number, reason: string): WatchResponder =>
  (_, response) =>
    respondStatus(response, code, reason);
