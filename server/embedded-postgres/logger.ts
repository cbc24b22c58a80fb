/** The part of a pino logger used here. */
export type Logger = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
