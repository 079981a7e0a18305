import { createSocket } from "node:dgram";

// In place of CoreDNS: the one service that pods of the tests use. name-server.ts LISTEN ADDRESS
const [listen = "", address = ""] = process.argv.slice(2);
const known = /^kubernetes\.default\.svc(\.cluster\.local)?$/i;
const addressRecord = 1;

const server = createSocket("udp4");
server.on("message", (query, from) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const isKnown = known.test(labels.join("."));
  const isFound = isKnown && query.readUInt16BE(at + 1) === addressRecord;
  const header = Buffer.from([0, 0, 0x84, isKnown ? 0 : 3, 0, 1, 0, isFound ? 1 : 0, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  const record = isFound ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, ...address.split(".").map(Number)] : [];
  server.send(
    Buffer.concat([header, query.subarray(12, at + 5), Buffer.from(record)]),
    from.port,
    from.address,
  );
});
server.bind(53, listen);
