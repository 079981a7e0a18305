import { hash } from "node:crypto";
import { isRecord } from "../../json/values.ts";
import { type ReadyStatus, readyStatuses } from "../judge.ts";
import type { ImageRoute } from "../locations.ts";

/** What is known about an image, and since when. */
export type ImageRecord = Readonly<{
  status: ReadyStatus;
  /** When registries were asked last. */
  at: string;
  /** What it was judged by; with another basis the record is outdated. */
  basis: string;
  /** The reference from which nodes pull it; absent when they cannot. */
  from?: string;
  /** The digest of the manifest there. */
  digest?: string;
}>;

/** Records by the names of images. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** Names what an image is judged by: where nodes look for it, and their architectures. */
export function basisOf({ locations }: ImageRoute, architectures: readonly string[]): string {
  const content = JSON.stringify([locations, architectures.toSorted()]);
  return hash("sha256", content).slice(0, 10);
}

const isStatus = (value: unknown): value is ReadyStatus => readyStatuses.some((status) => status === value);

/** Reads a stored record; undefined for one that has not been made, or cannot be read. */
export function readImageRecord(stored: unknown): ImageRecord | undefined {
  if (!isRecord(stored)) return undefined;
  const { status, at, basis, from, digest } = stored;
  if (!isStatus(status) || typeof at !== "string" || Number.isNaN(Date.parse(at))) return undefined;
  if (typeof basis !== "string") return undefined;
  return {
    status,
    at,
    basis,
    ...(typeof from === "string" ? { from } : {}),
    ...(typeof digest === "string" ? { digest } : {}),
  };
}

/** Returns the newer of two records. */
export function newer(a: ImageRecord | undefined, b: ImageRecord | undefined): ImageRecord | undefined {
  if (!a || !b) return a ?? b;
  return Date.parse(b.at) > Date.parse(a.at) ? b : a;
}
