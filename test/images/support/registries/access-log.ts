import { open, readFile, stat } from "node:fs/promises";

/** One request that a registry answered, and the time. */
export type RegistryRequest = Readonly<{
  registry: string;
  method: string;
  path: string;
  status: number;
  at: Date;
}>;

/**
 * The log of all registries, in one file and so in one order. A registry writes the line before it completes the
 * response, so a client that has ended has left all its lines here.
 */
export type AccessLog = Readonly<{
  /** The file that the registries append to. */
  descriptor: number;
  /** Returns the requests that were answered while `action` ran, and the result of `action`. */
  during<T>(action: () => Promise<T>): Promise<Readonly<{ result: T; requests: readonly RegistryRequest[] }>>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

// Every registry has its own address, so the host that a client names is the registry that it reached.
const requestFields = ["http.request.host", "http.request.method", "http.request.uri"] as const;

function tryParseRequest(line: string): RegistryRequest | undefined {
  if (!line.startsWith("{")) return undefined; // Go's own server logs errors as plain text
  const entry: Record<string, unknown> = JSON.parse(line);
  const [registry, method, path] = requestFields.map((field) => entry[field]);
  const status = entry["http.response.status"];
  if (typeof registry !== "string" || typeof method !== "string" || typeof path !== "string")
    return undefined;
  if (typeof status !== "number") return undefined;
  return { registry, method, path, status, at: new Date(String(entry.time)) };
}

/** Creates the file and opens the log. */
export async function openAccessLog(file: string): Promise<AccessLog> {
  const handle = await open(file, "a");
  return {
    descriptor: handle.fd,
    during: async (action) => {
      const { size } = await stat(file);
      const result = await action();
      const lines = (await readFile(file)).subarray(size).toString("utf8").split("\n");
      return { result, requests: lines.flatMap((line) => tryParseRequest(line) ?? []) };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
