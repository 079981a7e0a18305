import { beforeEach } from "vitest";

/** Matches names of tests to skip, of speed and size: instrumented code is slow, and each mutant would run huge inputs. */
const ofSize = /within a second|overflow the stack|without overflow|ten million/;

beforeEach(({ task, skip }) => skip(ofSize.test(task.name)));
