import type { PolicyFields } from "./policy-fields.ts";
import type { SigstoreRequirement } from "./requirement.ts";

/** The keys and certificates of a signature check, in the order of the container library's JSON. */
export type Trust = Pick<SigstoreRequirement, "keyData" | "fulcio" | "rekorPublicKeyData" | "pki">;

const root = "spec.policy.rootOfTrust";

/** Reports whether a text is an email address, whose limit in the API is 320 characters. */
function isEmail(text: string): boolean {
  // At most 320 characters.
  return text.length <= 320 && /^\S+@\S+$/.test(text);
}

function readPublicKey(fields: PolicyFields, value: unknown): Trust | undefined {
  const path = `${root}.publicKey`;
  const key = fields.record(path, value);
  const keyData = fields.data(`${path}.keyData`, key.keyData, "PUBLIC KEY");
  const rekor = fields.optionalData(`${path}.rekorKeyData`, key.rekorKeyData, "PUBLIC KEY");
  return keyData === undefined ? undefined : { keyData, ...(rekor ? { rekorPublicKeyData: rekor } : {}) };
}

function readFulcio(fields: PolicyFields, value: unknown): Trust | undefined {
  const path = `${root}.fulcioCAWithRekor`;
  const fulcio = fields.record(path, value);
  const subject = fields.record(`${path}.fulcioSubject`, fulcio.fulcioSubject);
  const caData = fields.data(`${path}.fulcioCAData`, fulcio.fulcioCAData, "CERTIFICATE");
  const rekorPublicKeyData = fields.data(`${path}.rekorKeyData`, fulcio.rekorKeyData, "PUBLIC KEY");
  const oidcIssuer = fields.text(`${path}.fulcioSubject.oidcIssuer`, subject.oidcIssuer);
  const subjectEmail = fields.text(`${path}.fulcioSubject.signedEmail`, subject.signedEmail);
  if (!caData || !rekorPublicKeyData || !oidcIssuer || !subjectEmail) return undefined;
  if (!URL.canParse(oidcIssuer)) {
    fields.leaveToApiServer(`${path}.fulcioSubject.oidcIssuer`, oidcIssuer, "must be a URL");
  }
  if (!isEmail(subjectEmail)) {
    fields.leaveToApiServer(`${path}.fulcioSubject.signedEmail`, subjectEmail, "must be an email address");
  }
  return { fulcio: { caData, oidcIssuer, subjectEmail }, rekorPublicKeyData };
}

function readPki(fields: PolicyFields, value: unknown): Trust | undefined {
  const path = `${root}.pki`;
  const pki = fields.record(path, value);
  const subject = fields.record(`${path}.pkiCertificateSubject`, pki.pkiCertificateSubject);
  const caRootsData = fields.data(`${path}.caRootsData`, pki.caRootsData, "CERTIFICATE");
  const intermediates = fields.optionalData(
    `${path}.caIntermediatesData`,
    pki.caIntermediatesData,
    "CERTIFICATE",
  );
  const subjectEmail = fields.optionalText(`${path}.pkiCertificateSubject.email`, subject.email);
  const hostname = fields.optionalText(`${path}.pkiCertificateSubject.hostname`, subject.hostname);
  if (subjectEmail === undefined && hostname === undefined) {
    return fields.refuse(`${path}.pkiCertificateSubject`, subject, "must have an email or a hostname");
  }
  if (subjectEmail !== undefined && !isEmail(subjectEmail)) {
    fields.leaveToApiServer(`${path}.pkiCertificateSubject.email`, subjectEmail, "must be an email address");
  }
  if (caRootsData === undefined) return undefined;
  return {
    pki: {
      caRootsData,
      ...(intermediates === undefined ? {} : { caIntermediatesData: intermediates }),
      ...(subjectEmail === undefined ? {} : { subjectEmail }),
      ...(hostname === undefined ? {} : { subjectHostname: hostname }),
    },
  };
}

/**
 * Reads `rootOfTrust`; only the member that `policyType` names counts. A runtime that does not know PKI refuses the whole
 * policy.json, and with it every image.
 */
export function readTrust(fields: PolicyFields, value: unknown, readsPki: boolean): Trust | undefined {
  const trust = fields.record(root, value);
  switch (trust.policyType) {
    case "PublicKey":
      return readPublicKey(fields, trust.publicKey);
    case "FulcioCAWithRekor":
      return readFulcio(fields, trust.fulcioCAWithRekor);
    case "PKI":
      return readsPki
        ? readPki(fields, trust.pki)
        : fields.refuse(
            `${root}.policyType`,
            trust.policyType,
            "must be PublicKey or FulcioCAWithRekor: releases before 4.19 do not know PKI",
          );
    default:
      return fields.refuse(
        `${root}.policyType`,
        trust.policyType,
        "must be PublicKey, FulcioCAWithRekor or PKI",
      );
  }
}
