/** The maximum of one request to SQS and SNS, in bytes the smallest of the supported servers. */
export const batchLimits = { entries: 10, bytes: 262_144 } as const;

export type StringAttribute = Readonly<{ DataType: "String"; StringValue: string }>;

/** Returns message attributes in the form that SQS and SNS share. */
export function stringAttributes(
  attributes: Readonly<Record<string, string>>,
): Record<string, StringAttribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, { DataType: "String", StringValue: value }]),
  );
}

/** Returns the bytes that count against the limit: the body, and each attribute's name, type and value. */
export function messageBytes(body: string, attributes: Readonly<Record<string, string>> = {}): number {
  return Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + "String".length + Buffer.byteLength(value),
    Buffer.byteLength(body),
  );
}

/** Splits the entries into requests, in order, each within both limits. An oversized entry gets its own request. */
export function batchesOf<Entry>(
  entries: readonly Entry[],
  bytesOf: (entry: Entry) => number,
): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = bytesOf(entry);
    const last = batches.at(-1);
    if (last && last.length < batchLimits.entries && bytes + size <= batchLimits.bytes) {
      last.push(entry);
      bytes += size;
    } else {
      batches.push([entry]);
      bytes = size;
    }
  }
  return batches;
}
