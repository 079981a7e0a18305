import { Agent, request } from "undici";

/** Sends a GET on a connection of its own, for plain-text responses. */
export async function rawGet(
  url: string,
  { ca, token }: Readonly<{ ca: Buffer; token: string }>,
): Promise<Readonly<{ status: number; text: string }>> {
  const dispatcher = new Agent({ connect: { ca } });
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: statusCode, text: await body.text() };
  } finally {
    await dispatcher.close();
  }
}
