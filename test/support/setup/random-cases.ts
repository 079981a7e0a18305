import fc from "fast-check";

/**
 * How properties choose their cases, for every test that runs here. `npm test` must never fail by bad luck, so the seed
 * is fixed: FC_SEED sets another one, and together with FC_PATH runs one case of one property again, as its failure
 * names it. FC_SECONDS starts no further case of a property after that time: `npm run fuzz` requests more cases than
 * there is time for.
 */
const { FC_SEED, FC_PATH, FC_SECONDS } = process.env;

fc.configureGlobal({
  seed: Number(FC_SEED ?? 20_261_101),
  ...(FC_PATH ? { path: FC_PATH } : {}),
  ...(FC_SECONDS ? { numRuns: 10_000_000 } : {}),
});

// fast-check's own time limit leaves an abandoned case running, and the next test sees its effects.
if (FC_SECONDS)
  fc.installGlobalPlugin(() => {
    const end = Date.now() + 1_000 * Number(FC_SECONDS);
    return {
      decorateRun: (run) => (value) => (Date.now() > end ? new fc.PreconditionFailure(true) : run(value)),
    };
  });
