import { writeAtomically } from "#shared/adapters/hub/directory/manifest-files.ts";

/** Writes one large file over and over until it is killed: every line of it contains the number of the iteration. */
const [file = ""] = process.argv.slice(2);
for (let turn = 0; ; turn++) {
  const line = `${String(turn).padStart(100, "0")}\n`;
  writeAtomically(file, line.repeat(200_001), { synced: true });
  console.log(turn);
}
