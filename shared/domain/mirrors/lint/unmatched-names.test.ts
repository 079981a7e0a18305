import { expect, test } from "vitest";
import { anImageDigestMirrorSet } from "../fixtures.ts";
import { type Given, issuesAbout, places } from "./fixtures.ts";

const from = (source: string, ...mirrors: string[]) => [
  anImageDigestMirrorSet("acme", [{ source, mirrors }]),
];
const object = { kind: "ImageDigestMirrorSet", name: "acme" };
const path = "spec.imageDigestMirrors[0].source";

test.for<[name: string, source: string, mirror: string, message: string, remedy: string]>([
  [
    "has no registry",
    "library/alpine",
    "m.lab/alpine",
    '"library/alpine" matches no image: a name without a registry is looked up as docker.io/library/alpine',
    "Add the registry, for example docker.io/library/alpine.",
  ],
  [
    "is Docker Hub's old name",
    "index.docker.io",
    "m.lab",
    '"index.docker.io" matches no image: those of index.docker.io are looked up as docker.io',
    "Write docker.io.",
  ],
  [
    "has Docker Hub's old name",
    "index.docker.io/grafana",
    "m.lab/grafana",
    '"index.docker.io/grafana" matches no image: those of index.docker.io are looked up as docker.io',
    "Write docker.io/grafana.",
  ],
  [
    "leaves library out that its mirror has",
    "docker.io/alpine",
    "m.lab/cache/library/alpine",
    '"docker.io/alpine" does not match the image alpine, which is looked up as docker.io/library/alpine',
    "Write docker.io/library/alpine.",
  ],
])("When a source %s, it should report what is looked up", ([, source, mirror, message, remedy]) => {
  const reported = {
    code: "NeverMatches",
    severity: "warning",
    object,
    path,
    value: source,
    message,
    remedy,
  };
  expect(issuesAbout({ objects: from(source, mirror) })).toEqual([reported]);
});

test("When a source is a bare word, it should report that it is a host, and what an image of that name is", () => {
  expect(issuesAbout({ objects: from("nginx", "m.lab/nginx") })).toEqual([
    {
      code: "MatchesOnlyWithPort",
      severity: "warning",
      object,
      path,
      value: "nginx",
      message:
        '"nginx" is read as a registry, of which only names with a port match, such as nginx:5000/app; the image nginx is looked up as docker.io/library/nginx',
      remedy:
        "Write the image as docker.io/library/nginx, or the registry with its port or its full host name.",
    },
  ]);
});

test("When only one of several mirrors has library, it should report what is looked up", () => {
  expect(
    places(issuesAbout({ objects: from("docker.io/alpine", "n.lab/alpine", "m.lab/library/alpine") })),
  ).toEqual([`NeverMatches ImageDigestMirrorSet/acme ${path}`]);
});

test("When the sources of one object match nothing for different reasons, it should report each with its remedy", () => {
  const objects = [
    anImageDigestMirrorSet("acme", [
      { source: "library/alpine", mirrors: ["m.lab/alpine"] },
      { source: "index.docker.io/grafana", mirrors: ["m.lab/grafana"] },
      { source: "docker.io/nginx", mirrors: ["m.lab/library/nginx"] },
    ]),
  ];
  expect(issuesAbout({ objects }).map(({ remedy }) => remedy)).toEqual([
    "Add the registry, for example docker.io/library/alpine.",
    "Write docker.io/grafana.",
    "Write docker.io/library/nginx.",
  ]);
});

test("When a listed scope matches nothing, the issue should be on the Image object", () => {
  const lists = {
    insecureRegistries: ["team/app"],
    blockedRegistries: ["index.docker.io", "library/alpine", "team/other"],
  };
  expect(issuesAbout({ objects: [], lists })).toEqual([
    {
      code: "NeverMatches",
      severity: "warning",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.insecureRegistries[0]",
      value: "team/app",
      message:
        '"team/app" matches no image: a name without a registry is looked up as docker.io/team/app; the same applies to spec.registrySources.blockedRegistries[1], spec.registrySources.blockedRegistries[2]',
      remedy: "Add the registry, for example docker.io/team/app.",
    },
    expect.objectContaining({ value: "index.docker.io", remedy: "Write docker.io." }),
  ]);
});

test("When an allowed scope matches nothing, the issue should be on the Image object", () => {
  expect(
    places(issuesAbout({ objects: [], lists: { allowedRegistries: ["quay.io", "library/alpine"] } })),
  ).toEqual(["NeverMatches Image/cluster spec.registrySources.allowedRegistries[1]"]);
});

test.for<Given & { name: string }>([
  { name: "a namespace of Docker Hub is mirrored", objects: from("docker.io/grafana", "m.lab/grafana") },
  { name: "library itself is mirrored", objects: from("docker.io/library", "m.lab/library") },
  { name: "another host has such a path", objects: from("quay.io/alpine", "m.lab/library/alpine") },
  { name: "another image is in library", objects: from("docker.io/alpine", "m.lab/library/nginx") },
  { name: "a host has a port", objects: from("registry:5000/team", "m.lab/team") },
  { name: "the host is this machine", objects: from("localhost/team", "m.lab/team") },
  { name: "the source is this machine", objects: from("localhost", "m.lab") },
])("When $name, it should report nothing", (given) => {
  expect(issuesAbout(given)).toEqual([]);
});

test("When an old API server accepted a malformed scope, it should report only that", () => {
  const lists = { blockedRegistries: ["team/App:tag"] };
  expect(places(issuesAbout({ objects: [], lists }))).toEqual([
    "InvalidScope Image/cluster spec.registrySources.blockedRegistries[0]",
  ]);
});
