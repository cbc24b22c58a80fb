/** Thrown if something has changed since it was read: what was computed from it must not be saved. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
  /** What has to be computed again: everything, or only the results of hooks. */
  readonly what: 'content' | 'hooks';

  constructor(what: Outdated['what'] = 'content') {
    super(`what the ${what} was computed from has changed since`);
    this.what = what;
  }
}
