import { join } from "node:path";
import { succeeded } from "../../../../infra/run-program.ts";

/** A certificate and its key, as the paths of two PEM files. */
export type Certificate = Readonly<{ certificate: string; key: string }>;

/** Returns the extension for a certificate with these host names. */
export function forHosts(hosts: readonly string[]): string {
  return `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`;
}

/** Creates a certificate with these X.509 extensions; without an issuer it is self-signed. */
export async function makeCertificate(
  folder: string,
  name: string,
  extensions: readonly string[],
  issuer?: Certificate,
): Promise<Certificate> {
  const made = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", made.key];
  const words = [
    ...["req", "-x509", "-days", "2", "-subj", `/CN=${name}`, "-out", made.certificate, ...key],
    ...extensions.flatMap((extension) => ["-addext", extension]),
    ...(issuer ? ["-CA", issuer.certificate, "-CAkey", issuer.key] : []),
  ];
  await succeeded("openssl", words, { cwd: folder });
  return made;
}
