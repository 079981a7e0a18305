import fc from "fast-check";
import { beforeEach } from "vitest";

/** The same random cases in every run: a mutant is not killed today and alive tomorrow. */
fc.configureGlobal({ seed: 1 });

/** Instrumented code under load says nothing about speed, and huge inputs would be paid for by every mutant. */
const ofSize = /within a second|overflow the stack|without overflow|ten million/;

beforeEach(({ task, skip }) => skip(ofSize.test(task.name)));
