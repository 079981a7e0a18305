import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { succeeded } from "../../../../infra/run-program.ts";

/** A certificate and its key, as the paths of two PEM files. */
export type Certificate = Readonly<{ certificate: string; key: string }>;

const ecKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** An authority of its own, which signs certificates of servers and clients. */
export async function makeAuthority(folder: string, name: string): Promise<Certificate> {
  const made = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const files = ["-keyout", made.key, "-out", made.certificate];
  await succeeded("openssl", ["req", "-x509", "-days", "2", ...ecKey, ...files, "-subj", `/CN=${name}`], {
    cwd: folder,
  });
  return made;
}

/**
 * Creates a certificate that an authority signs: for a server (`hosts`), or for a user (`organizations` are its
 * groups).
 */
export async function signCertificate(
  folder: string,
  authority: Certificate,
  name: string,
  {
    hosts = [],
    organizations = [],
  }: Readonly<{ hosts?: readonly string[]; organizations?: readonly string[] }>,
): Promise<Certificate> {
  const made = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const request = join(folder, `${name}.csr`);
  const extensions = join(folder, `${name}.ext`);
  const subject = `${organizations.map((organization) => `/O=${organization}`).join("")}/CN=${name}`;
  const names = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(",");
  await writeFile(
    extensions,
    names ? `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n` : "extendedKeyUsage=clientAuth\n",
  );
  const key = ["-keyout", made.key, "-out", request];
  await succeeded("openssl", ["req", "-new", ...ecKey, ...key, "-subj", subject], { cwd: folder });
  const signing = ["-CA", authority.certificate, "-CAkey", authority.key, "-CAcreateserial", "-days", "2"];
  const output = ["-extfile", extensions, "-in", request, "-out", made.certificate];
  await succeeded("openssl", ["x509", "-req", ...signing, ...output], { cwd: folder });
  return made;
}

/** Encodes a PEM file as kubeconfigs contain it. */
export async function base64Of(file: string): Promise<string> {
  return (await readFile(file)).toString("base64");
}
