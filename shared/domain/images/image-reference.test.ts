import { describe, expect, test } from "vitest";
import { formatImageReference, tryParseImageReference } from "./image-reference.ts";

const hex = "0123456789abcdef".repeat(8);
const sha256 = `sha256:${hex.slice(0, 64)}`;

describe("tryParseImageReference", () => {
  test.for([
    { text: "quay.io/rel/ocp", repository: "quay.io/rel/ocp" },
    { text: "quay.io/rel/ocp:4.19", repository: "quay.io/rel/ocp", tag: "4.19" },
    { text: `quay.io/rel/ocp@${sha256}`, repository: "quay.io/rel/ocp", digest: sha256 },
    { text: `quay.io/ocp:4.19@${sha256}`, repository: "quay.io/ocp", tag: "4.19", digest: sha256 },
    { text: "m.lab:5000/ocp:4.19", repository: "m.lab:5000/ocp", tag: "4.19" },
    { text: "localhost/ocp", repository: "localhost/ocp" },
    { text: "a_b.io/ocp", repository: "a_b.io/ocp" },
    { text: "HOST.lab/ocp", repository: "HOST.lab/ocp" },
    { text: "docker.io/library/alpine", repository: "docker.io/library/alpine" },
    { text: "q.io/a__b/c.d/e--f", repository: "q.io/a__b/c.d/e--f" },
    { text: `q.io/x@sha512:${hex}`, repository: "q.io/x", digest: `sha512:${hex}` },
    { text: `q.io/${"a".repeat(250)}`, repository: `q.io/${"a".repeat(250)}` },
    { text: `q.io/x:${"t".repeat(128)}`, repository: "q.io/x", tag: "t".repeat(128) },
  ])(
    "When the reference is $text, it should take it apart and put it together again",
    ({ text, ...parts }) => {
      const reference = tryParseImageReference(text);
      expect(reference).toStrictEqual(parts);
      expect(reference && formatImageReference(reference)).toBe(text);
    },
  );

  test.for([
    "",
    "quay.io",
    "quay.io:5000",
    "alpine",
    "library/alpine",
    "docker.io/alpine",
    "index.docker.io/library/alpine",
    "quay.io/",
    "quay.io//x",
    "quay.io/x/",
    "quay.io/X",
    "quay.io/a___b",
    "quay.io/x:",
    "quay.io/x:.tag",
    `quay.io/x:${"t".repeat(129)}`,
    "quay.io/x:5000/y",
    "quay.io/x@",
    "quay.io/x@sha256:abc",
    `quay.io/x@sha256:${hex.slice(0, 64).toUpperCase()}`,
    `quay.io/x@sha256:g${hex.slice(0, 63)}`,
    `quay.io/x@sha256${hex.slice(0, 64)}`,
    `quay.io/x@md5:${hex.slice(0, 32)}`,
    `quay.io/x@${sha256}@${sha256}`,
    `m.lab@${sha256}`,
    "-a.io/x",
    "a_b.io:5000/x",
    "a..io/x",
    "a.io:port/x",
    " quay.io/x",
    "quay.io/x\n",
    "HOST/ocp",
    "[fd00::1]:5000/ocp",
    `q.io/${"a".repeat(251)}`,
    `q.io/${"a/".repeat(3000)}a`,
    `${"q.".repeat(3000)}io/a`,
  ])("When the reference is %j, it should return undefined", (text) => {
    expect(tryParseImageReference(text)).toBeUndefined();
  });
});
