/** Something that was read before has changed: what was computed from it must not be saved. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
  /** Whether all of it has to be computed again, or only what hooks compute. */
  readonly what: 'content' | 'following';

  constructor(what: Outdated['what'] = 'content') {
    super(`the ${what} was computed from what has changed since`);
    this.what = what;
  }
}
