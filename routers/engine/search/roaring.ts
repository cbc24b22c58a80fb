/** Sets of integers in the portable format of Roaring bitmaps (https://github.com/RoaringBitmap/RoaringFormatSpec). */

/** The cookie of a bitmap without run containers. */
const COOKIE = 12_346;
/** The numbers of a container share their upper 16 bits. */
const RANGE = 65_536;
/** Maximum number of values in an array container; a container of more is a bitmap. */
const MAX_ARRAY_LENGTH = 4096;

/**
 * Encodes a set.
 * @param members 1 at the index of each member
 */
export function encodeRoaring(members: Uint8Array): Buffer {
  const containers: { key: number; numbers: number[] }[] = [];
  for (let start = 0; start < members.length; start += RANGE) {
    const numbers: number[] = [];
    const end = Math.min(RANGE, members.length - start);
    for (let low = 0; low < end; low++) if (members[start + low] === 1) numbers.push(low);
    if (numbers.length > 0) containers.push({ key: start / RANGE, numbers });
  }
  const header = Buffer.alloc(8 + containers.length * 8);
  header.writeUInt32LE(COOKIE, 0);
  header.writeUInt32LE(containers.length, 4);
  let offset = header.length;
  const bodies = containers.map(({ key, numbers }, index) => {
    const body = numbers.length <= MAX_ARRAY_LENGTH ? arrayContainer(numbers) : bitmapContainer(numbers);
    header.writeUInt16LE(key, 8 + index * 4);
    header.writeUInt16LE(numbers.length - 1, 8 + index * 4 + 2);
    header.writeUInt32LE(offset, 8 + containers.length * 4 + index * 4);
    offset += body.length;
    return body;
  });
  return Buffer.concat([header, ...bodies]);
}

function arrayContainer(numbers: readonly number[]): Buffer {
  const body = Buffer.alloc(numbers.length * 2);
  for (const [index, number] of numbers.entries()) body.writeUInt16LE(number, index * 2);
  return body;
}

function bitmapContainer(numbers: readonly number[]): Buffer {
  const body = Buffer.alloc(RANGE / 8);
  for (const number of numbers) body[number >> 3] = (body[number >> 3] as number) | (1 << (number & 7));
  return body;
}
