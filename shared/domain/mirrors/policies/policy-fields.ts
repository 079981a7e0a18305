import { createPublicKey } from "node:crypto";
import { readableCertificates } from "../../credentials/certificates.ts";
import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, fieldWarning, type Issue, type Severity } from "../../issues/issue.ts";
import { isRecord, type UnknownRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Refusing } from "../input/validate-rules.ts";

type Pem = "PUBLIC KEY" | "CERTIFICATE";

const maxDataLength = 8192;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

function isPublicKey(pem: string): boolean {
  try {
    createPublicKey(pem);
    return true;
  } catch {
    return false;
  }
}

/** Reads the fields of one image policy and collects the errors. */
export class PolicyFields {
  readonly issues: Issue[] = [];
  readonly #object: KubernetesObject;
  readonly #refusing: Refusing;

  constructor(object: KubernetesObject, refusing: Refusing) {
    this.#object = object;
    this.#refusing = refusing;
  }

  get hasErrors(): boolean {
    return this.issues.some(({ severity }) => severity === "error");
  }

  #report(severity: Severity, path: string, value: unknown, problem: string): void {
    this.issues.push(
      fieldIssue(this.#object, path, value ?? null, {
        code: "InvalidImagePolicy",
        severity,
        message: sentence`${path} ${problem}`,
        remedy: sentence`Change ${path}; the API server refuses the policy.`,
      }),
    );
  }

  /** Records a problem that prevents rendering the policy. */
  refuse(path: string, value: unknown, problem: string): undefined {
    this.#report("error", path, value, problem);
    return undefined;
  }

  /** Records a problem that only the API server refuses. */
  leaveToApiServer(path: string, value: unknown, problem: string): void {
    this.#report(this.#refusing === "operator" ? "warning" : "error", path, value, problem);
  }

  /** The API server accepts what is between the borders of PEM, whatever it is; the nodes' container runtime does not. */
  #warnOfUnusable(path: string, value: unknown, decoded: string, pem: Pem): void {
    const isUsable = pem === "PUBLIC KEY" ? isPublicKey(decoded) : readableCertificates(decoded).length > 0;
    if (isUsable) return;
    this.issues.push(
      fieldWarning(this.#object, path, value, {
        code: "UnusableKey",
        message: sentence`${path} is not a ${pem.toLowerCase()} that nodes can read: they pull no image of the scopes`,
        remedy: sentence`Write the base64 of the file with the ${pem.toLowerCase()}.`,
      }),
    );
  }

  record(path: string, value: unknown): UnknownRecord {
    if (isRecord(value)) return value;
    this.refuse(path, value, "must be an object");
    return {};
  }

  text(path: string, value: unknown): string | undefined {
    if (typeof value === "string" && value !== "") return value;
    return this.refuse(path, value, "must be a string that is not empty");
  }

  optionalText(path: string, value: unknown): string | undefined {
    return value === undefined || value === null || value === "" ? undefined : this.text(path, value);
  }

  /** Reads base64 of PEM, in the only spelling that Go writes. */
  data(path: string, value: unknown, pem: Pem): string | undefined {
    const text = this.text(path, value)?.replace(/[\r\n]/g, "");
    if (text === undefined) return undefined;
    if (text.length % 4 !== 0 || !base64.test(text)) return this.refuse(path, value, "must be base64");
    const decoded = Buffer.from(text, "base64").toString("latin1");
    const isPem =
      decoded.startsWith(`-----BEGIN ${pem}-----`) &&
      /-----\n?$/.test(decoded) &&
      decoded.includes(`-----END ${pem}-----`);
    if (isPem) this.#warnOfUnusable(path, value, decoded, pem);
    else this.leaveToApiServer(path, value, `must be base64 of a PEM block "${pem}"`);
    if (text.length > maxDataLength) {
      this.leaveToApiServer(path, text.length, `must have at most ${maxDataLength} characters`);
    }
    return Buffer.from(text, "base64").toString("base64");
  }

  optionalData(path: string, value: unknown, pem: Pem): string | undefined {
    return value === undefined || value === null || value === "" ? undefined : this.data(path, value, pem);
  }
}
