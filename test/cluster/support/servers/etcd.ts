import { join } from "node:path";
import { freePort } from "../../../support/servers/free-port.ts";
import { type ServerProcess, startServer } from "../programs/server-process.ts";

export type Etcd = ServerProcess & Readonly<{ endpoint: string }>;

/** Starts an etcd with an empty store in `folder`; nothing is synced to disk, since test data need not survive. */
export async function startEtcd(folder: string): Promise<Etcd> {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
  const isReady = () =>
    fetch(`${endpoint}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const process = await startServer("etcd", args, { log: join(folder, "etcd.log"), isReady });
  return { ...process, endpoint };
}
