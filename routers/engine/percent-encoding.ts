/** A part of a URL without its percent-encoding; as it is where a percent sign escapes nothing. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
