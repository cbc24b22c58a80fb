/** Decodes a part of a URL; returns it unchanged if its percent-encoding is malformed. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
