import { sentence } from "../../credentials/redact.ts";
/** The fields of one CSV record, or the error. */
export type CsvRecord = Readonly<{ fields: readonly string[] } | { error: string }>;

const bare = 'bare " in non-quoted-field';
const misplaced = 'extraneous or missing " in quoted-field';

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** Keeps line ends, with line breaks as `\n`; a carriage return at the very end is removed. */
function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/).map((line) => line.replace("\r\n", "\n").replace(/\r$/, ""));
}

/** Reads one record as Go's encoding/csv does. Lines and columns count from one, columns in bytes. */
class CsvReader {
  readonly #lines: readonly string[];
  readonly #start: number;
  #at: number;
  #line: string;
  /** The line and column of the next character. */
  #number: number;
  #column = 1;

  constructor(text: string) {
    this.#lines = linesOf(text);
    this.#at = this.#lines.findIndex((line) => line !== "\n");
    this.#line = this.#lines[this.#at] ?? "";
    this.#start = this.#at + 1;
    this.#number = this.#start;
  }

  record(): CsvRecord {
    const fields: string[] = [];
    for (;;) {
      const read = this.#line.startsWith('"') ? this.#quoted() : this.#plain();
      if ("error" in read) return read;
      fields.push(read.field);
      if (read.isLast) return { fields };
    }
  }

  #problem(line: number, column: number, what: string): { error: string } {
    const where = sentence`parse error on line ${line}, column ${column}: ${what}`;
    return { error: this.#start === line ? where : sentence`record on line ${this.#start}; ${where}` };
  }

  #take(length: number): string {
    const taken = this.#line.slice(0, length);
    this.#line = this.#line.slice(length);
    this.#column += byteLength(taken);
    return taken;
  }

  #plain(): { field: string; isLast: boolean } | { error: string } {
    const comma = this.#line.indexOf(",");
    const field = comma < 0 ? this.#line.replace("\n", "") : this.#line.slice(0, comma);
    if (field.includes('"')) {
      const before = field.slice(0, field.indexOf('"'));
      return this.#problem(this.#at + 1, this.#column + byteLength(before), bare);
    }
    this.#take(field.length + 1);
    return { field, isLast: comma < 0 };
  }

  #quoted(): { field: string; isLast: boolean } | { error: string } {
    this.#take(1);
    let field = "";
    for (;;) {
      const quote = this.#line.indexOf('"');
      if (quote < 0) {
        if (this.#line === "") return this.#problem(this.#number, this.#column, misplaced);
        field += this.#take(this.#line.length);
        this.#nextLine();
        continue;
      }
      field += this.#take(quote);
      this.#take(1);
      if (this.#line.startsWith('"')) field += this.#take(1);
      else if (this.#line.startsWith(",")) {
        this.#take(1);
        return { field, isLast: false };
      } else if (this.#line === "" || this.#line === "\n") return { field, isLast: true };
      else return this.#problem(this.#at + 1, this.#column - 1, misplaced);
    }
  }

  #nextLine(): void {
    this.#at++;
    this.#line = this.#lines[this.#at] ?? "";
    if (this.#line === "") return;
    this.#number++;
    this.#column = 1;
  }
}

/** Reads the first record of a text, with the messages of Go's encoding/csv. Empty lines are skipped. */
export function readCsvRecord(text: string): CsvRecord {
  return new CsvReader(text).record();
}
