import type { Client } from '../helpers/service.ts';
import type { Scene } from './scene.ts';

/** The paths, below a space, of all ways to read it. */
export const WAYS = ({ space }: Scene) => {
  const page = space.pages.Start;
  return [
    '',
    '/content',
    '/content/pages',
    `/content/page/${page}`,
    '/content/path/start',
    '/content/path/%2F',
    '/content/files',
    `/content/files/${space.file}`,
    `/revisions/${space.revision}`,
    `/revisions/${space.revision}/pages`,
    `/revisions/${space.revision}/page/${page}`,
    `/revisions/${space.revision}/page/${page}/document`,
    `/revisions/${space.revision}/path/start`,
    `/revisions/${space.revision}/files`,
    `/revisions/${space.revision}/files/${space.file}`,
  ];
};

/** The statuses of reading a space in all ways; one if they are all the same. */
export async function statuses(
  client: Client,
  scene: Scene,
  { at } = scene.space,
  ways = WAYS(scene),
): Promise<number[]> {
  const all = await Promise.all(ways.map((way) => client.get(at + way)));
  return [...new Set(all.map(({ status }) => status))];
}
