import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';
import { EngineFailure } from '../../routers/base/language-ports.ts';
import type { ModelSettings } from '../config.ts';
import { createEngineClient, type EngineClientOptions } from './engine-client.ts';

/** Generates text; empty if the response is not usable. */
export type Generate = (instructions: string, prompt: string) => Promise<string>;

/**
 * Opens a language model.
 * @throws EngineFailure from each call, if the model cannot be used
 */
export function createModel(
  { url, model, apiKey }: ModelSettings,
  options: EngineClientOptions = {},
): Generate {
  const post = createEngineClient(url, 'The language model', options);
  const provider = createOpenAICompatible({
    name: 'configured',
    baseURL: url,
    ...(apiKey !== undefined && { apiKey }),
    // All requests go through our own client, which retries temporary failures.
    fetch: async (input, init) => {
      const headers = Object.fromEntries(new Headers(init?.headers));
      const body = await post(String(input).slice(url.length), String(init?.body), headers);
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    },
  });
  return async (instructions, prompt) => {
    try {
      const { text } = await generateText({
        model: provider(model),
        instructions,
        prompt,
        temperature: 0,
        maxRetries: 0,
      });
      return text;
    } catch (error) {
      for (let cause = error; cause instanceof Error; cause = cause.cause)
        if (cause instanceof EngineFailure) throw cause;
      // The response is truncated, or not one of this API.
      return '';
    }
  };
}
