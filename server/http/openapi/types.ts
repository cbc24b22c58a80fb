/** The parts of an OpenAPI document that are used here. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  minLength?: number;
  minItems?: number;
  examples?: unknown[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: Schema }>;
}

export interface Operation {
  operationId: string;
  servers?: { url: string }[];
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: {
    description?: string;
    required?: boolean;
    content: Record<string, { schema: Schema; example?: unknown }>;
  };
  responses: Record<string, ResponseObject | { $ref: string }>;
}

export interface OpenApiDocument {
  openapi: string;
  info: object;
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses?: object;
    headers?: object;
    securitySchemes?: object;
  };
}
