import { hash } from 'node:crypto';
import type { CodeToken } from '../document/view.ts';

/** What is made in the worker: the tokens of code, or the MathML of a formula. */
export type Task =
  | { kind: 'code'; syntax: string; text: string }
  | { kind: 'formula'; text: string; isBlock: boolean };

export type Tokens = readonly (readonly CodeToken[])[];

/** Null for what cannot be made: a language that is not known, or a formula that cannot be read. */
export type Outcome = Tokens | string | null;

export interface Numbered<Value> {
  id: number;
  value: Value;
}

/** Names a text with how it is to be shown: what comes of it is the same for the same key. */
export const taskKey = (task: Task): string =>
  task.kind === 'code'
    ? hash('sha256', `code ${task.syntax}\n${task.text}`)
    : hash('sha256', `formula ${task.isBlock}\n${task.text}`);
