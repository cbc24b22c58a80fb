import { expect } from 'vitest';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';

export interface Scene {
  admin: Client;
  at: string;
  userId: string;
  organization: string;
}

/** An organization of its own for each test. */
export async function setScene(service: TestService): Promise<Scene> {
  const { id, admin } = await service.build.organization();
  return { admin: service.as(admin.token), at: `/orgs/${id}`, userId: admin.id, organization: id };
}

export const conversation = (id: string, body: string, metadata: object = {}) => ({
  id,
  parts: [{ type: 'message', role: 'user', body }],
  metadata,
});

export async function ingest({ admin, at }: Scene, body: unknown): Promise<void> {
  expect(await admin.post(`${at}/conversations`, body as object)).toMatchObject({ status: 204 });
}

export const list = async ({ admin, at }: Scene, kind: string, query = '') =>
  (await expectOk(admin.get(`${at}/conversations-${kind}?${query}`))).items;

export const EXPORTS = [
  'I cannot export my invoices as PDF',
  'Exporting invoices as PDF fails',
  'invoice pdf export broken!!',
];
export const RESETS = ['My password reset email never arrives', 'No email received for the password reset'];
export const both = () => [
  ...EXPORTS.map((body, place) => conversation(`export ${place}`, body)),
  ...RESETS.map((body, place) => conversation(`reset ${place}`, body)),
];

export const INSTRUCTIONS = {
  object: 'document',
  data: { schemaVersion: 1 },
  nodes: [
    {
      object: 'block',
      type: 'paragraph',
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'Be brief.', marks: [] }] }],
    },
  ],
};
