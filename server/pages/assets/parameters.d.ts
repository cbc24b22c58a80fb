/** Whether a value is a list, an object or anything else. */
export type Shape = 'array' | 'object' | 'value';

export interface ParameterStyle {
  style: string;
  explode: boolean;
}

export function queryEncoded(text: string): string;
export function serialize(
  name: string,
  value: unknown,
  style: ParameterStyle,
  encode: (text: string) => string,
): string;
export function parseValue(text: string, shape: Shape): unknown;
export function valueText(value: unknown): string;
