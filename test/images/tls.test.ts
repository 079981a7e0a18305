import { aDigestMirrorSet, anImageConfig } from "../support/hub/objects.ts";
import { type Outcome, play, type Scenario } from "./support/scenarios/scenario.ts";
import { test } from "./support/test.ts";

const noCertificate = "connection refused"; // the port of HTTPS
const httpOnOwnPort = "server gave HTTP response to HTTPS client";
const unknownAuthority = "x509: certificate signed by unknown authority";

const plainMirror = aDigestMirrorSet("plain", [{ source: "a.io/ns", mirrors: ["plain.lan/c"] }]);

const cases: readonly (Scenario & Outcome)[] = [
  {
    name: "When a registry speaks plain HTTP and is not insecure, it should be refused",
    heldBy: ["plain.lan/ns/app"],
    pull: "plain.lan/ns/app",
    by: "tag",
    asked: [],
    stderr: noCertificate,
  },
  {
    name: "When a registry speaks plain HTTP on its own port and is not insecure, it should be refused",
    heldBy: ["plain.lan:5000/ns/app"],
    pull: "plain.lan:5000/ns/app",
    by: "tag",
    asked: [],
    stderr: httpOnOwnPort,
  },
  {
    name: "When a registry speaks plain HTTP and is insecure, it should be used",
    image: anImageConfig({ insecureRegistries: ["plain.lan"] }),
    heldBy: ["plain.lan/ns/app"],
    pull: "plain.lan/ns/app",
    by: "tag",
    asked: ["plain.lan/ns/app"],
    from: "plain.lan/ns/app",
  },
  {
    name: "When a host is insecure, it should be insecure on every port",
    image: anImageConfig({ insecureRegistries: ["plain.lan"] }),
    heldBy: ["plain.lan:5000/ns/app"],
    pull: "plain.lan:5000/ns/app",
    by: "digest",
    asked: ["plain.lan:5000/ns/app"],
    from: "plain.lan:5000/ns/app",
  },
  {
    name: "When one port of a host is insecure, it should not make the other ports insecure",
    image: anImageConfig({ insecureRegistries: ["plain.lan:5000"] }),
    heldBy: ["plain.lan/ns/app"],
    pull: "plain.lan/ns/app",
    by: "digest",
    asked: [],
    stderr: noCertificate,
  },
  {
    name: "When a domain is insecure by a wildcard, its registries should be insecure",
    image: anImageConfig({ insecureRegistries: ["*.lan"] }),
    heldBy: ["plain.lan:5000/ns/app"],
    pull: "plain.lan:5000/ns/app",
    by: "tag",
    asked: ["plain.lan:5000/ns/app"],
    from: "plain.lan:5000/ns/app",
  },
  {
    name: "When a certificate is not trusted and the registry is not insecure, it should be refused",
    heldBy: ["untrusted.lan/ns/app"],
    pull: "untrusted.lan/ns/app",
    by: "digest",
    asked: [],
    stderr: unknownAuthority,
  },
  {
    name: "When a certificate is not trusted and the namespace is insecure, it should be used",
    image: anImageConfig({ insecureRegistries: ["untrusted.lan/ns"] }),
    heldBy: ["untrusted.lan/ns/app"],
    pull: "untrusted.lan/ns/app",
    by: "digest",
    asked: ["untrusted.lan/ns/app"],
    from: "untrusted.lan/ns/app",
  },
  {
    name: "When a mirror speaks plain HTTP and is insecure, it should be used",
    objects: [plainMirror],
    image: anImageConfig({ insecureRegistries: ["plain.lan"] }),
    heldBy: ["plain.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["plain.lan/c/app"],
    from: "plain.lan/c/app",
  },
  {
    name: "When a mirror speaks plain HTTP and is not insecure, it should be skipped",
    objects: [plainMirror],
    heldBy: ["plain.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When only the source of a mirror is insecure, it should not make the mirror insecure",
    objects: [plainMirror],
    image: anImageConfig({ insecureRegistries: ["a.io/ns"] }),
    heldBy: ["plain.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When an insecure scope lies below the mirror, it should not make the mirror insecure",
    objects: [plainMirror],
    image: anImageConfig({ insecureRegistries: ["plain.lan/c/app"] }),
    heldBy: ["plain.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When an insecure mirror is inherited by a scope inside, it should stay insecure there",
    objects: [aDigestMirrorSet("inherited", [{ source: "a.io", mirrors: ["plain.lan/c"] }])],
    image: anImageConfig({ insecureRegistries: ["plain.lan", "a.io/ns"] }),
    heldBy: ["plain.lan/c/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["plain.lan/c/ns/app"],
    from: "plain.lan/c/ns/app",
  },
  {
    name: "When only a part of a mirror is insecure, it should not be insecure where that part is inherited",
    objects: [aDigestMirrorSet("inherited", [{ source: "a.io", mirrors: ["plain.lan/c"] }])],
    image: anImageConfig({ insecureRegistries: ["plain.lan/c/ns", "a.io/ns"] }),
    heldBy: ["plain.lan/c/ns/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
];

test.for(cases)("$name", async (scenario, { lab }) => {
  await play(lab, scenario);
});
