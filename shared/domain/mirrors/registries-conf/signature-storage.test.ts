import { expect, test } from "vitest";
import { nodePaths, textFile } from "../../machine-config/node-file.ts";
import { tryLoadRegistries } from "./load-registries.ts";

const folder = "/etc/containers/registries.d/";
const rendered = textFile(
  nodePaths.sigstoreRegistries,
  "docker:\n  quay.io/a:\n    use-sigstore-attachments: true\n",
);
const beside = (text: string, name = "a.yaml") => textFile(`${folder}${name}`, text);

test.for([
  { name: "there is only the rendered one", files: [rendered], problem: undefined },
  {
    name: "another has other names",
    files: [rendered, beside("docker: {quay.io/b: {}}")],
    problem: undefined,
  },
  { name: "another is empty", files: [rendered, beside("")], problem: undefined },
  { name: "another has no .yaml", files: [rendered, beside("docker: [", "a.yml")], problem: undefined },
  { name: "it is in a subfolder", files: [beside("docker: [", "a/b.yaml")], problem: undefined },
  {
    name: "two define one name",
    files: [beside("docker: {quay.io/a: {}}"), rendered],
    problem: `a.yaml: ${rendered.path} defines docker quay.io/a, too`,
  },
  {
    name: "two define the default",
    files: [beside("default-docker: {}"), beside("default-docker: {}", "b.yaml")],
    problem: `b.yaml: ${folder}a.yaml defines default-docker, too`,
  },
  { name: "one is a list", files: [beside("[]")], problem: "a.yaml: it is not a YAML object" },
  {
    name: "one has a list of names",
    files: [beside("docker: [quay.io/a]")],
    problem: "a.yaml: docker or default-docker is not a YAML object",
  },
  { name: "one has no names", files: [beside("docker:\ndefault-docker:\n")], problem: undefined },
  { name: "one is no YAML", files: [beside("docker: [a")], problem: "a.yaml: it is not YAML: " },
])(
  "When files of registries.d are read and $name, it should return the problem: $problem",
  ({ files, problem }) => {
    const loaded = tryLoadRegistries(files);
    const found =
      "problem" in loaded ? `${loaded.file.path.slice(folder.length)}: ${loaded.problem}` : undefined;
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  },
);
