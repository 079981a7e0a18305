import { createPrivateKey } from "node:crypto";
import type { Signer } from "./cosign-signatures.ts";

/*
 * An authority that certifies signers of images, and a signer whom its intermediate authority certified, from 2020 to 2120.
 * Nothing else may trust them: the signer's key is public.
 */

export const authority = `-----BEGIN CERTIFICATE-----
MIIBUDCB+KADAgECAgIQATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARyb290MCAX
DTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAPMQ0wCwYDVQQDDARyb290
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECy+fObQIRwXuqQOINBwczp05H+VU
FyH4VRu2/ToF61HvbuQ5+lVkl8LYgqSt3ZvgW0pzbdqZTXWFE645HZ2NZKNCMEAw
DwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFH2BvAE/
Qi5LFdSeGtdVOuIOl/YcMAoGCCqGSM49BAMCA0cAMEQCIAt+dJ62SVW5tOVwgvrg
X6X8KynCXqEVnG83AcxlUxxCAiBCe6GVPuH3jKzXxJngC7WQgWioXiHouT/Gb68I
wC+Xdw==
-----END CERTIFICATE-----
`;

const intermediate = `-----BEGIN CERTIFICATE-----
MIIBkzCCATmgAwIBAgICEAIwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcm9vdDAg
Fw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFzEVMBMGA1UEAwwMaW50
ZXJtZWRpYXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE61pw7H/MxSXjNzhm
PStFeEYodCTfdxrwP6++qsYCuTQ3Ev9HRUUnZDe4srvmJf6RsBMAh0PygZ5Jqbbj
U64ImqN7MHkwEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8EBAMCAgQwEwYD
VR0lBAwwCgYIKwYBBQUHAwMwHQYDVR0OBBYEFHd65ql7LDoHf8hO1y9DrkIZtLsG
MB8GA1UdIwQYMBaAFH2BvAE/Qi5LFdSeGtdVOuIOl/YcMAoGCCqGSM49BAMCA0gA
MEUCIHAQuPvZMiXsWe25LGSG1vw02wpk0NN6ML62ZJ+TJ2lzAiEA4qVZ1NI9RwaM
6n/UrmFPGhqIvzPC9Ic64xr/rXfD90k=
-----END CERTIFICATE-----
`;

const certificate = `-----BEGIN CERTIFICATE-----
MIIB3TCCAYKgAwIBAgICEAMwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMaW50ZXJt
ZWRpYXRlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjARMQ8wDQYD
VQQDDAZzaWduZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASp3QTJu5znc6fO
fH3/FvqqKK7fOgnYN6gsc6qo3wdtcxA6L/qKJy0Vhl6vjYmnGAMhQ9QnGrgj4Nzn
GB9i8ufqo4HBMIG+MAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMGA1Ud
JQQMMAoGCCsGAQUFBwMDMB0GA1UdEQEB/wQTMBGBD2RldkBsYWIuZXhhbXBsZTAq
BgorBgEEAYO/MAEIBBwMGmh0dHBzOi8vaXNzdWVyLmxhYi5leGFtcGxlMB0GA1Ud
DgQWBBQDPDU60p8lASjk5ZzWoo61xS4loDAfBgNVHSMEGDAWgBR3euapeyw6B3/I
TtcvQ65CGbS7BjAKBggqhkjOPQQDAgNJADBGAiEA4yZJ6/ZH/6QR5GG7OeWKMZVg
EUaFLldGmQYbZunqOOUCIQDixDmv0e1w/DZ3SMkwK2gZoluKY9F4u4WxMzY4djwA
oQ==
-----END CERTIFICATE-----
`;

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsyNaMBz2ozGP9Idr
zHMUy6kmBJOElSgDUHU+AAJPMeihRANCAASp3QTJu5znc6fOfH3/FvqqKK7fOgnY
N6gsc6qo3wdtcxA6L/qKJy0Vhl6vjYmnGAMhQ9QnGrgj4NznGB9i8ufq
-----END PRIVATE KEY-----
`;

/** The signer's email, and the issuer that authenticated the signer, as the certificate has them. */
export const subject = { signedEmail: "dev@lab.example", oidcIssuer: "https://issuer.lab.example" };

export const keylessSigner: Signer = {
  privateKey: createPrivateKey(key),
  certificate,
  chain: intermediate + authority,
};
