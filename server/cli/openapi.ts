import type { Command } from 'commander';
import { printJson } from './output.ts';

/** `openapi`. */
export function addOpenApiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the HTTP API; needs no database')
    .action(async () => {
      const [{ publicUrlOf, readConfig }, { openApiDocument }] = await Promise.all([
        import('../config.ts'),
        import('../http/openapi.ts'),
      ]);
      printJson(openApiDocument(publicUrlOf(readConfig())));
    });
}
