import { type LeaseName, parseLeaseName } from "../../runtime/forwarder/lease.ts";
import { type Environment, EnvironmentError } from "./environment.ts";

/** Returns the Lease of HUBRELAY_LEASE; undefined without one. Throws `EnvironmentError` when it is invalid. */
export function leaseSetting({ HUBRELAY_LEASE: text }: Environment): LeaseName | undefined {
  if (!text) return undefined;
  const lease = parseLeaseName(text);
  if (lease) return lease;
  throw new EnvironmentError("HUBRELAY_LEASE is invalid; it should be like hubrelay/hubrelay-forwarder.");
}
