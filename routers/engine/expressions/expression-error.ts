/** An expression that cannot be parsed or exceeds its limits; the message is one plain sentence. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}
