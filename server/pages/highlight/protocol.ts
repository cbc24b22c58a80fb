import { hash } from 'node:crypto';
import type { CodeToken } from '../document/render-context.ts';

/** A text for the worker: code to split into tokens, or a formula to convert to MathML. */
export type Task =
  | { kind: 'code'; syntax: string; text: string }
  | { kind: 'formula'; text: string; isBlock: boolean };

export type Tokens = readonly (readonly CodeToken[])[];

/** The tokens of code by line, or the MathML of a formula. Null for an unknown language or an invalid formula. */
export type Outcome = Tokens | string | null;

export interface WorkerMessage<Value> {
  id: number;
  value: Value;
}

/** A hash of everything that determines the outcome of a task. */
export const taskKey = (task: Task): string =>
  task.kind === 'code'
    ? hash('sha256', `code ${task.syntax}\n${task.text}`)
    : hash('sha256', `formula ${task.isBlock}\n${task.text}`);
