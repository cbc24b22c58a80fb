import type { FastifyReply } from 'fastify';
import { type Html, html } from '../http/html.ts';
import type { Visit } from './visit.ts';

/** Maximum numbers of organizations, and of sites of each, that are listed; the API lists all. */
const MAX_ORGANIZATIONS = 25;
const MAX_SITES = 100;

type Call = Visit['call'];
type Organization = Awaited<ReturnType<Call['organizations']['list']>>['items'][number];
type Site = Awaited<ReturnType<Call['sites']['list']>>['items'][number];

/** Shows the start page: the sites of a signed-in user, and the first steps to those who could add the first one. */
export async function showStart(visit: Visit): Promise<FastifyReply> {
  const { actor, texts, call, show, token } = visit;
  if (!actor) return show({ title: texts.startTitle, body: firstSteps(visit) });
  const { items } = await call.organizations.list({ limit: MAX_ORGANIZATIONS });
  const organizations = await Promise.all(
    items.map(async (organization) => ({
      organization,
      sites: (await call.sites.list({ organizationId: organization.id, limit: MAX_SITES })).items,
    })),
  );
  const hasFirstSteps =
    organizations.every(({ sites }) => sites.length === 0) &&
    organizations.some(({ organization }) => organization.permissions.admin);
  return show({
    title: texts.yourSites,
    isWide: true,
    body: html`<div class="top"><p><a href="/auth/account">${actor.user.displayName}</a></p><form method="post" action="/auth/sign-out">${token}<button class="plain small">${texts.signOut}</button></form></div>
${organizations.length === 0 && html`<p>${texts.noOrganizations}</p>`}
${organizations.map(({ organization, sites }) => section(visit, organization, sites))}
${hasFirstSteps && nextSteps(visit)}
${links(visit)}`,
  });
}

function section(
  { texts }: Visit,
  { id: organizationId, title }: Organization,
  sites: readonly Site[],
): Html {
  const list = sites.map(({ title: name, id, published, urls }) => {
    const preview = `/preview/orgs/${organizationId}/sites/${id}`;
    const address = published ? urls.published : undefined;
    return html`<li><div>${address === undefined ? html`${name} <span class="badge">${texts.notPublished}</span>` : html`<a href="${address}">${name}</a><small>${address}</small>`}</div><a class="button plain small" href="${preview}">${texts.preview}</a></li>`;
  });
  return html`<section><h2>${title}</h2>${sites.length === 0 ? html`<p>${texts.noSites}</p>` : html`<ul class="list">${list}</ul>`}</section>`;
}

const firstSteps = (visit: Visit): Html => html`<p>${visit.texts.startIntro}</p>
<p><a class="button" href="/auth/sign-in">${visit.texts.signIn}</a></p>
${stepsSection(visit, visit.texts.steps)}
${links(visit)}`;

/** The first steps that are left for those who have signed in. */
const nextSteps = (visit: Visit): Html => stepsSection(visit, visit.texts.steps.slice(1));

const stepsSection = ({ texts }: Visit, steps: readonly string[]): Html =>
  html`<section><h2>${texts.firstSteps}</h2><ol>${steps.map((step) => html`<li>${step}</li>`)}</ol></section>`;

const links = ({ texts, actor }: Visit): Html =>
  html`<p class="more">${actor && html`<a href="/auth/account">${texts.account}</a> · `}<a href="/reference">${texts.apiReference}</a> · <a href="/openapi.json">OpenAPI</a></p>`;
