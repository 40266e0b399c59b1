import { offsetOfPath, type PlaceInText, type PlacesOfEntries, type UsualText, usualDepth } from './read-json.ts';

/** A value with its place in the text. */
interface Read {
  value: unknown;
  place: PlaceInText;
}

/** By hand from the end: a pattern would look at each run of spaces within the text as often as it is long. */
function withoutLastSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end -= 1;
  return text.slice(0, end);
}

/** What is outside of this file's few forms, wherever it stands: tabs, carriage returns, documents and directives. */
const unusual = /[\t\r\uFEFF]|^(?:---|\.\.\.|%)/m;

/**
 * Reads the few forms of YAML that nearly all definition files are made of, many times faster than the reader of the whole
 * language: mappings, lists, texts on one line, texts in blocks, numbers, comments, and the same in brackets. Undefined where
 * anything else stands, an error included: then the careful reader says what it is.
 */
export function readUsualYaml(text: string): UsualText | undefined {
  if (unusual.test(text)) return undefined;
  const root = new UsualYaml(text).read();
  if (root === undefined) return undefined;
  // The root is a mapping, or it would not have been read.
  return { value: root.value as UsualText['value'], placeOfPath: (path, at) => offsetOfPath(root.place, path, at) };
}

/** A key that needs no quotes, with its colon. A key of a block has at most 1024 characters, so this one has far fewer. */
const plainKey = /([A-Za-z_$][\w./-]{0,99}(?: [\w./-]{1,99}){0,9}) *:(?=[ \n]|$)/y;
const quotedKey = /"([^"\\\n]{0,200})" *:(?=[ \n]|$)/y;
const textInQuotes = /"(?:[^"\\\n]|\\["\\/n])*"/y;
const textInSingleQuotes = /'(?:[^'\n]|'')*'/y;
/** To the end of the line, or of the entry in brackets. What it holds is looked at afterwards. */
const plainInBlock = /[\p{L}\d_(/$.-][^\n]*/uy;
const plainInFlow = /[\p{L}\d_(/$.-][^\n,[\]{}]*/uy;
/** Spaces and a comment. */
const restOfLine = / *(?: #[^\n]*)?(?=\n|$)/y;
const headOfTextBlock = /([|>])(-?) *(?=\n)/y;
/** What lines that are to become one must not have. */
const keepsLines = /^ | $|^$/;
/** `.inf`, `-x` and the like, but not `../agents/a.yaml`. */
const oddStart = /^(?:-|\.(?!\.?\/))/;
const spaces = / */y;
/** `key: ` and ` # comment` within a text are something else than text. */
const holdsSyntax = /:(?: |$)| #/;
const simpleNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** Other numbers than simple ones, such as 0x1f, 1e3 and 007, and texts that look like them. */
const likeNumber = /^[-+]?\.?\d[\w.+-]*$/;
const words = new Map<string, unknown>([
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

class UsualYaml {
  readonly #text: string;
  #at = 0;
  /** Of the line that begins at `#at`; -1 behind the last one. */
  #indent = -1;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Read | undefined {
    this.#toLine(0);
    const root = this.#indent === 0 ? this.#mapping() : undefined;
    // A line that is indented otherwise than all that is open ends the reading: it may belong to the text above it.
    return this.#indent === -1 ? root : undefined;
  }

  /** Goes to the first character of the next line that is neither empty nor a comment; `from` is where a line begins. */
  #toLine(from: number): void {
    const text = this.#text;
    for (let start = from; start < text.length; ) {
      const first = start + this.#lengthOfSpaces(start);
      if (first >= text.length) break;
      if (text[first] !== '\n' && text[first] !== '#') {
        this.#at = first;
        this.#indent = first - start;
        return;
      }
      const end = text.indexOf('\n', first);
      start = end === -1 ? text.length : end + 1;
    }
    this.#at = text.length;
    this.#indent = -1;
  }

  /** What `pattern` matches here, which it goes behind. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  /** Whether nothing more stands on this line; then the next one begins here. */
  #isEndOfLine(): boolean {
    if (this.#take(restOfLine) === null) return false;
    this.#toLine(this.#at + 1);
    return true;
  }

  #isItem(): boolean {
    return this.#text.startsWith('- ', this.#at);
  }

  #key(): string | undefined {
    const [, key] = this.#take(this.#text[this.#at] === '"' ? quotedKey : plainKey) ?? [];
    return key === '__proto__' || words.get(key ?? '') === null ? undefined : key;
  }

  /** The lines of this indentation as keys with values. */
  #mapping(): Read | undefined {
    const indent = this.#indent;
    const value: Record<string, unknown> = {};
    const entries: PlacesOfEntries = new Map();
    const place = { at: this.#at, entries };
    this.#depth += 1;
    do {
      const keyAt = this.#at;
      const key = this.#key();
      if (key === undefined || entries.has(key)) return undefined;
      const read = this.#valueBelow(indent);
      if (read === undefined) return undefined;
      value[key] = read.value;
      entries.set(key, { keyAt, value: read.place });
    } while (this.#indent === indent);
    this.#depth -= 1;
    return { value, place };
  }

  /** The lines of this indentation as items of a list. */
  #list(): Read | undefined {
    const indent = this.#indent;
    const value: unknown[] = [];
    const items: PlaceInText[] = [];
    const place = { at: this.#at, items };
    this.#depth += 1;
    do {
      this.#at += 1;
      this.#take(spaces);
      const read = this.#item(indent);
      if (read === undefined) return undefined;
      value.push(read.value);
      items.push(read.place);
    } while (this.#indent === indent && this.#isItem());
    this.#depth -= 1;
    return { value, place };
  }

  /** A mapping that begins behind the dash goes on at the column of its first key. */
  #item(indent: number): Read | undefined {
    const start = this.#at;
    const isKey = this.#key() !== undefined;
    this.#at = start;
    if (!isKey) return this.#valueHere(indent);
    this.#indent = start - (this.#text.lastIndexOf('\n', start) + 1);
    return this.#depth < usualDepth ? this.#mapping() : undefined;
  }

  /** The value of a key: on its line, or on those below it. */
  #valueBelow(indent: number): Read | undefined {
    const start = this.#at;
    if (!this.#isEndOfLine()) {
      this.#at = start;
      this.#take(spaces);
      return this.#valueHere(indent);
    }
    if (this.#depth >= usualDepth) return undefined;
    if (this.#indent >= indent && this.#isItem()) return this.#list();
    return this.#indent > indent ? this.#mapping() : undefined;
  }

  #valueHere(indent: number): Read | undefined {
    if (this.#text[this.#at] === '|' || this.#text[this.#at] === '>') return this.#textBlock(indent);
    const read = this.#inline(indent, plainInBlock);
    return read !== undefined && this.#isEndOfLine() ? read : undefined;
  }

  #inline(indent: number, plain: RegExp): Read | undefined {
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') return this.#flow(indent, first);
    const at = this.#at;
    if (first === '"') {
      const [raw] = this.#take(textInQuotes) ?? [];
      return raw === undefined ? undefined : { value: JSON.parse(raw), place: at };
    }
    if (first === "'") {
      const [raw] = this.#take(textInSingleQuotes) ?? [];
      return raw === undefined ? undefined : { value: raw.slice(1, -1).replaceAll("''", "'"), place: at };
    }
    return this.#plain(plain);
  }

  #plain(pattern: RegExp): Read | undefined {
    const at = this.#at;
    const [line] = this.#take(pattern) ?? [];
    if (line === undefined) return undefined;
    const comment = pattern === plainInBlock ? line.indexOf(' #') : -1;
    const text = withoutLastSpaces(comment === -1 ? line : line.slice(0, comment));
    this.#at = at + text.length;
    const value = simpleNumber.test(text) ? exactNumber(text) : words.has(text) ? words.get(text) : usualText(text);
    return value === undefined ? undefined : { value, place: at };
  }

  /** Brackets with what is in them, over several lines that are all indented by more than `indent`. */
  #flow(indent: number, open: '{' | '['): Read | undefined {
    if (this.#depth >= usualDepth) return undefined;
    this.#depth += 1;
    const at = this.#at;
    this.#at += 1;
    const read = open === '{' ? this.#flowMapping(indent, at) : this.#flowList(indent, at);
    this.#depth -= 1;
    return read;
  }

  #flowMapping(indent: number, at: number): Read | undefined {
    const value: Record<string, unknown> = {};
    const entries: PlacesOfEntries = new Map();
    let isEnd = this.#isFlowEnd(indent, '}');
    while (isEnd === false) {
      const keyAt = this.#at;
      const key = this.#key();
      if (key === undefined || entries.has(key) || !this.#skipGap(indent)) return undefined;
      const read = this.#inline(indent, plainInFlow);
      if (read === undefined) return undefined;
      value[key] = read.value;
      entries.set(key, { keyAt, value: read.place });
      isEnd = this.#isFlowEnd(indent, '}', ',');
    }
    return isEnd && { value, place: { at, entries } };
  }

  #flowList(indent: number, at: number): Read | undefined {
    const value: unknown[] = [];
    const items: PlaceInText[] = [];
    let isEnd = this.#isFlowEnd(indent, ']');
    while (isEnd === false) {
      const read = this.#inline(indent, plainInFlow);
      if (read === undefined) return undefined;
      value.push(read.value);
      items.push(read.place);
      isEnd = this.#isFlowEnd(indent, ']', ',');
    }
    return isEnd && { value, place: { at, items } };
  }

  /** True behind the closing bracket, false at the next entry, undefined where neither stands. */
  #isFlowEnd(indent: number, close: '}' | ']', separator?: ','): boolean | undefined {
    if (!this.#skipGap(indent)) return undefined;
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return true;
    }
    if (separator === undefined) return false;
    if (this.#text[this.#at] !== separator) return undefined;
    this.#at += 1;
    return this.#skipGap(indent) ? false : undefined;
  }

  /** Spaces and ends of lines within brackets. Whether the lines are indented as they have to be. */
  #skipGap(indent: number): boolean {
    this.#take(spaces);
    while (this.#text[this.#at] === '\n') {
      const start = this.#at + 1;
      this.#at = start;
      this.#take(spaces);
      if (this.#text[this.#at] !== '\n' && this.#at - start <= indent) return false;
    }
    return this.#at < this.#text.length;
  }

  /** A text of several lines, indented as its first one is. */
  #textBlock(indent: number): Read | undefined {
    const at = this.#at;
    const head = this.#take(headOfTextBlock);
    if (head === null) return undefined;
    const [, style, chomp] = head;
    const read = this.#indentedLines(this.#at + 1, indent);
    if (read === undefined) return undefined;
    const { lines, end } = read;
    this.#toLine(end);
    // What the last line is without an end, the careful reader knows.
    if (!this.#text.endsWith('\n')) return undefined;
    while (lines.at(-1) === '') lines.pop();
    if (style === '>' && lines.some((line) => keepsLines.test(line))) return undefined;
    return { value: lines.join(style === '>' ? ' ' : '\n') + (chomp === '-' ? '' : '\n'), place: at };
  }

  /** The lines from here on that are indented at least as the first one is, without that; and where the next one begins. */
  #indentedLines(from: number, indent: number): { lines: string[]; end: number } | undefined {
    const column = this.#lengthOfSpaces(from);
    if (column <= indent || this.#text[from + column] === '\n') return undefined;
    const lines: string[] = [];
    let start = from;
    for (let end = this.#text.indexOf('\n', start); end !== -1; end = this.#text.indexOf('\n', start)) {
      const indented = this.#lengthOfSpaces(start);
      const isEmpty = start + indented === end;
      if (!isEmpty && indented < column) break;
      // Spaces on an empty line may be text or not.
      if (isEmpty && indented > column) return undefined;
      lines.push(isEmpty ? '' : this.#text.slice(start + column, end));
      start = end + 1;
    }
    return { lines, end: start };
  }

  #lengthOfSpaces(start: number): number {
    spaces.lastIndex = start;
    spaces.test(this.#text);
    return spaces.lastIndex - start;
  }
}

/** Undefined for what no double holds. */
function exactNumber(text: string): number | undefined {
  const value = Number(text);
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0) ? value : undefined;
}

/** Undefined for what may be something else than a text. */
const usualText = (text: string): string | undefined =>
  oddStart.test(text) || likeNumber.test(text) || holdsSyntax.test(text) ? undefined : text;
