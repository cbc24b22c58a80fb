import { z } from 'zod';
import type { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import type { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import { acceptPrebuilt } from '../../schema/json/accept-prebuilt.ts';
import type { Row } from '../../schema/rows.ts';
import type { Services } from '../base/context.ts';
import { handlersFor } from '../base/mount.ts';
import { PrebuiltResponse } from '../response/prebuilt-response.ts';
import {
  OpenAPISpecContentObject,
  OpenAPISpecVersionObject,
  presentContent,
  presentRaw,
  presentVersion,
} from './versions.api.ts';
import { partSize } from './versions.query.ts';

interface VersionContext {
  services: Services;
  spec: Pick<Row<OpenApiSpec>, 'organization' | 'slug' | 'visibility'>;
  version: Row<OpenApiSpecVersion>;
}

/** The ids in the path, which the base procedures read. */
const ID_IN_PATH = z.looseObject({});

const handler = handlersFor<VersionContext>();

/** The procedures of a version: shared by the latest version and versions by id. */
export const versionHandlers = {
  get: handler.query({
    input: ID_IN_PATH,
    output: OpenAPISpecVersionObject,
    resolve: async ({ version, spec, services }) => presentVersion(version, spec, services),
  }),
  content: handler.query({
    input: ID_IN_PATH,
    output: OpenAPISpecContentObject,
    async resolve({ version, spec, services }) {
      const size = await partSize(services.storage, version.document);
      return presentContent(version, size, spec, services) as unknown as z.input<
        typeof OpenAPISpecContentObject
      >;
    },
  }),
  raw: handler.query({
    input: ID_IN_PATH,
    output: acceptPrebuilt(z.string(), PrebuiltResponse),
    async resolve({ version, services: { storage } }) {
      const size = await partSize(storage, version.source);
      return presentRaw(version, size, storage) as unknown as string;
    },
  }),
};
