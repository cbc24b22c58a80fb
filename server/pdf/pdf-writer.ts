import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

/** Number of objects that are compressed together. */
const OBJECTS_PER_STREAM = 200;

/** Bytes that are buffered before they are written. */
const BUFFER_BYTES = 1 << 20;

const compress = promisify(deflate);

/** Writes a PDF object by object. Of written objects, only their positions are kept in memory. */
export class PdfWriter {
  readonly #file: FileHandle;
  readonly #chunks: Buffer[] = [];
  #buffered = 0;
  #position = 0;
  /** Cross-reference entries by object number: 1 and the position in the file, or 2, the object stream and the index in it. */
  readonly #entries: ([1, number, 0] | [2, number, number])[] = [];
  #waiting: { number: number; text: string }[] = [];
  #last: number;

  /** @param last the highest object number that the caller uses */
  private constructor(file: FileHandle, last: number) {
    this.#file = file;
    this.#last = last;
  }

  static async create(path: string, last: number): Promise<PdfWriter> {
    const writer = new PdfWriter(await open(path, 'w', 0o600), last);
    await writer.#write(Buffer.from('%PDF-1.7\n%\x80\x80\x80\x80\n', 'latin1'));
    return writer;
  }

  /** Adds an object that is not a stream. */
  async add(number: number, text: string): Promise<void> {
    this.#waiting.push({ number, text });
    if (this.#waiting.length >= OBJECTS_PER_STREAM) await this.#flush();
  }

  /** @param dictionary including `/Length` */
  async addStream(number: number, dictionary: string, bytes: Buffer): Promise<void> {
    this.#entries[number] = [1, this.#position, 0];
    await this.#write(Buffer.from(`${number} 0 obj\n${dictionary}\nstream\n`, 'latin1'));
    await this.#write(bytes);
    await this.#write(Buffer.from('\nendstream\nendobj\n', 'latin1'));
  }

  /** Writes the remaining objects and the cross-reference stream. @param trailer further entries for it, such as the root */
  async end(trailer: string): Promise<void> {
    await this.#flush();
    const number = ++this.#last;
    const start = this.#position;
    this.#entries[number] = [1, start, 0];
    const table = Buffer.alloc((number + 1) * 7);
    for (let index = 1; index <= number; index++) {
      const [kind, where, at] = this.#entries[index] ?? [0, 0, 0];
      table.writeUInt8(kind, index * 7);
      table.writeUInt32BE(where, index * 7 + 1);
      table.writeUInt16BE(at, index * 7 + 5);
    }
    table.writeUInt16BE(0xffff, 5);
    const bytes = await compress(table);
    await this.addStream(
      number,
      `<< /Type /XRef /Size ${number + 1} /W [1 4 2] ${trailer} /Filter /FlateDecode /Length ${bytes.length} >>`,
      bytes,
    );
    await this.#write(Buffer.from(`startxref\n${start}\n%%EOF\n`, 'latin1'), { now: true });
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const number = ++this.#last;
    let offset = 0;
    let head = '';
    for (const [place, { number: of, text }] of this.#waiting.entries()) {
      this.#entries[of] = [2, number, place];
      head += `${of} ${offset} `;
      offset += text.length + 1;
    }
    const body = Buffer.from(`${head}\n${this.#waiting.map(({ text }) => `${text}\n`).join('')}`, 'latin1');
    const count = this.#waiting.length;
    this.#waiting = [];
    const bytes = await compress(body);
    await this.addStream(
      number,
      `<< /Type /ObjStm /N ${count} /First ${head.length + 1} /Filter /FlateDecode /Length ${bytes.length} >>`,
      bytes,
    );
  }

  async #write(bytes: Buffer, { now = false } = {}): Promise<void> {
    this.#chunks.push(bytes);
    this.#buffered += bytes.length;
    this.#position += bytes.length;
    if (this.#buffered < BUFFER_BYTES && !now) return;
    const all = Buffer.concat(this.#chunks);
    this.#chunks.length = 0;
    this.#buffered = 0;
    await this.#file.writeFile(all);
  }
}
