/** Returns the seconds of a Retry-After header; a date is ignored: hardly any server sends one. */
export function retryAfterOf(header: string | string[] | undefined): { retryAfterSeconds?: number } {
  return typeof header === "string" && /^\d{1,6}$/.test(header) ? { retryAfterSeconds: Number(header) } : {};
}

/** Returns a whole body; one with more bytes is not read to its end, and `tooLong` makes the error. */
export async function wholeBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
