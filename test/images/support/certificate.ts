import { join } from "node:path";
import { succeeded } from "../../../infra/command.ts";

/** A certificate and its key, as the paths of two PEM files. */
export type Certificate = Readonly<{ certificate: string; key: string }>;

/** Makes a certificate that is its own authority, for these host names. */
export async function makeCertificate(
  folder: string,
  name: string,
  hosts: readonly string[],
): Promise<Certificate> {
  const made = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const subject = [
    "-subj",
    `/CN=${name}`,
    "-addext",
    `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`,
  ];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", made.key];
  await succeeded("openssl", ["req", "-x509", "-days", "2", ...key, "-out", made.certificate, ...subject], {
    cwd: folder,
  });
  return made;
}
