import { z } from 'zod';

export const HttpUrl = z
  .url({
    protocol: /^https?$/,
    // Other problems, such as a missing value or too long a one, have messages of their own.
    error: ({ code }) => (code === 'invalid_format' ? 'must be an http or https URL' : undefined),
  })
  .max(2048);
