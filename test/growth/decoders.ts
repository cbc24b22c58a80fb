/** All decoders of input from callers, with texts that make them produce as much output, or do as much work, as possible. */

import { ADDRESS_DECODERS } from './decoders/addresses.ts';
import { CONTENT_DECODERS } from './decoders/content.ts';
import type { Decoder } from './decoders/decoder.ts';
import { IMPORT_DECODERS } from './decoders/imports.ts';
import { REQUEST_DECODERS } from './decoders/requests.ts';
import { SIGN_IN_DECODERS } from './decoders/sign-in.ts';
import { SPEC_DECODERS } from './decoders/specs.ts';
import { TEXT_DECODERS } from './decoders/texts.ts';

export const DECODERS: Record<string, Decoder> = {
  ...REQUEST_DECODERS,
  ...CONTENT_DECODERS,
  ...IMPORT_DECODERS,
  ...SPEC_DECODERS,
  ...SIGN_IN_DECODERS,
  ...ADDRESS_DECODERS,
  ...TEXT_DECODERS,
};
