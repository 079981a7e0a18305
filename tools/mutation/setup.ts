import { beforeEach } from "vitest";

/** Matches the names of tests that are skipped: instrumented code is slow, and each mutant would run their huge inputs. */
const ofSize = /within a second|overflow the stack|without overflow|ten million/;

beforeEach(({ task, skip }) => skip(ofSize.test(task.name)));
