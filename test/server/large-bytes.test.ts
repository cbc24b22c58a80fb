import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { BytesReceiver, detachBytes, partsOf } from '../../server/engine/large-bytes.ts';

const MB = 1024 * 1024;
const bytesOf = (length: number, first = 0) =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => first + (index % 199)));

test('large bytes are sent in parts, and arrive where they were, as often as they are sent', () => {
  const receiver = new BytesReceiver();
  const [one, other, short] = [bytesOf(2.5 * MB), bytesOf(MB + 1, 7), bytesOf(MB)];
  for (const [value, parts] of [
    [{ bytes: one, maxValues: 1 }, 3],
    [{ value: { a: [null] }, documents: [], specText: { bytes: other, sha256: 'a' } }, 2],
    [{ first: one, second: { first: other, second: one }, third: short }, 8],
    [{ bytes: short }, 0],
    [['text'], 0],
    ['text', 0],
    [undefined, 0],
  ] as const) {
    const copy = structuredClone(value);
    const { bytes, ...detached } = detachBytes(value);
    const sent = [...partsOf(bytes)];
    expect(sent).toHaveLength(parts);
    for (const part of sent) {
      expect(part.bytes.length).toBeLessThanOrEqual(MB);
      receiver.add(structuredClone(part));
    }
    const arrived = receiver.attachTo(structuredClone(detached));
    for (const whole of [arrived, value]) expect(isDeepStrictEqual(structuredClone(whole), copy)).toBe(true);
  }
});
