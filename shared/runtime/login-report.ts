import type { Ports } from "../ports/ports.ts";

/** Logs for how long the process may still log in to the hub; nothing where that is not known, or something renews it. */
export async function reportLogin({
  loginEnd = async () => undefined,
  log,
  now,
}: Pick<Ports, "loginEnd" | "log" | "now">): Promise<void> {
  const end = await loginEnd();
  if (!end) return;
  log({ event: "login", remainingSeconds: Math.floor((end.getTime() - now().getTime()) / 1000) });
}
