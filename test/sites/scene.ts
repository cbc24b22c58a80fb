import { expect } from 'vitest';
import type { Client, TestService } from '../helpers/service.ts';

export interface Start {
  organization: string;
  me: Client;
  site: string;
  space(title: string): Promise<string>;
  section(title: string): Promise<string>;
  group(title: string, more?: object): Promise<string>;
}

/** An empty site, with functions to add to it. */
export async function startOn(service: TestService): Promise<Start> {
  const { id: organization, admin } = await service.build.organization();
  const me = service.as(admin.token);
  const site = `/orgs/${organization}/sites/${(await service.build.site(organization)).id}`;
  const space = async (title: string) => (await service.build.space(organization, { title })).id;
  const section = async (title: string) => {
    const { status, body } = await me.post(`${site}/sections`, { spaceId: await space(title) });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.id as string;
  };
  const group = async (title: string, more: object = {}) => {
    const { status, body } = await me.post(`${site}/section-groups`, { title, ...more });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.id as string;
  };
  return { organization, me, site, space, section, group };
}

export interface Item {
  object: string;
  title: string;
  default?: boolean;
  children?: Item[];
  siteSpaces?: Item[];
}

/** The structure as text: groups in brackets, defaults with a star, variants in parentheses. */
const textOf = (items: Item[]): string =>
  items
    .map(({ title, default: isDefault, children, siteSpaces }) => {
      const star = isDefault ? '*' : '';
      if (children) return `${title}[${textOf(children)}]`;
      return `${title}${star}${siteSpaces && siteSpaces.length > 1 ? `(${textOf(siteSpaces)})` : ''}`;
    })
    .join(' ');

export const structureOf = async ({ me, site }: Pick<Start, 'me' | 'site'>) => {
  const { body } = await me.get(`${site}/structure`);
  return `${body.type}: ${textOf(body.structure)}`;
};

export const sort = ({ me, site }: Start, type: string, id: string, position: object = {}) =>
  me.patch(`${site}/structure/sort`, { item: { type: `site-${type}`, id }, position });
export const at = (type: string, id: string) => ({ type: `site-${type}`, id });
