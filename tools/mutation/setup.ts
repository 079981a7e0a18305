import { beforeEach } from "vitest";

/** Instrumented code under load says nothing about speed, and huge inputs would be paid for by every mutant. */
const ofSize = /within a second|overflow the stack|without overflow|ten million/;

beforeEach(({ task, skip }) => skip(ofSize.test(task.name)));
