import { type DetailedPeerCertificate, TLSSocket } from "node:tls";
import { buildConnector } from "undici";
import type { Validity } from "../../domain/ready/access-ends.ts";

/** Registries and their token services; more than a cluster uses. */
const maxHosts = 200;
/** Longer chains do not exist. */
const maxChain = 10;

/** Returns the validity of a certificate with all that it depends on: the first of them to end decides. */
function validityOf(leaf: DetailedPeerCertificate): Validity | undefined {
  const ends: number[] = [];
  for (let one = leaf, depth = 0; depth < maxChain; depth++) {
    ends.push(Date.parse(one.valid_to));
    const next: DetailedPeerCertificate | undefined = one.issuerCertificate;
    if (!next?.valid_to || next === one) break;
    one = next;
  }
  const to = Math.min(...ends);
  return Number.isNaN(to) ? undefined : { from: new Date(leaf.valid_from), to: new Date(to) };
}

/** Returns what remembers the certificates of servers by `host[:port]`, and a connector that notes them. */
export function certificateEnds(): Readonly<{
  noted: ReadonlyMap<string, Validity>;
  connector(options: buildConnector.BuildOptions): buildConnector.connector;
}> {
  const noted = new Map<string, Validity>();
  function note({ hostname, host = hostname }: buildConnector.Options, socket: unknown): void {
    // A resumed session has no chain.
    if (!(socket instanceof TLSSocket) || socket.isSessionReused()) return;
    const validity = validityOf(socket.getPeerCertificate(true));
    if (validity && (noted.has(host) || noted.size < maxHosts)) noted.set(host, validity);
  }
  return {
    noted,
    connector(options) {
      const connect = buildConnector(options);
      return (target, callback) =>
        connect(target, (...result) => {
          note(target, result[1]);
          callback(...result);
        });
    },
  };
}
