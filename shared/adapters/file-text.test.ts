import { expect, test } from "vitest";
import { decodeText, FileTextError } from "./file-text.ts";

const text = "name: bodø\r\nkind: 日本\n";
const littleEndian = Buffer.from(`\uFEFF${text}`, "utf16le");

test.for([
  ["UTF-8", Buffer.from(text)],
  ["UTF-16 of PowerShell", littleEndian],
  ["UTF-16 with the higher byte first", Buffer.from(littleEndian).swap16()],
] as const)("When a file is %s, it should be read", ([, bytes]) => {
  expect(decodeText(bytes)).toBe(text);
});

test("When a file is empty, it should be empty", () => {
  expect(decodeText(Buffer.alloc(0))).toBe("");
});

test.for([
  ["in the first line", "bod\xF8", 1],
  ["after lines with other characters", "a\n\nb\xF8\nc", 3],
  ["in the last line", "a\nb\n\xF8", 3],
] as const)("When a byte %s is not UTF-8, it should name the line", ([, latin, line]) => {
  const decode = () => decodeText(Buffer.from(latin, "latin1"));
  expect(decode).toThrow(FileTextError);
  expect(decode).toThrow(`line ${line} is not UTF-8; save the file as UTF-8`);
});
