import { z } from 'zod';
import { declaredTypes } from '../../schema/json/declared-type.ts';

type Side = 'input' | 'output';
type Schema = z.core.$ZodType;

/** A type that the client's types refer to, and the module of the service that declares it. */
interface Declared {
  name: string;
  module: string;
}

/** Types written from Zod schemas. */
interface SchemaTypes {
  /** The declarations of the schemas that have a name. */
  declarations: string[];
  /** The types that they refer to, which are declared elsewhere. */
  declared: Declared[];
}

/**
 * Calls `write`, which gets types as text from the writer, and returns the declarations that these need. The input and the
 * output of a schema share one declaration if they are equal, which is known only once both are written; so `write` is
 * called until nothing changes.
 */
export function writeSchemaTypes(write: (writer: SchemaWriter) => void): SchemaTypes {
  let split: ReadonlySet<string> = new Set();
  for (;;) {
    const writer = new SchemaWriter(split);
    write(writer);
    const found = writer.split();
    if (found.size === split.size) return writer.result();
    split = found;
  }
}

/** The type of a schema's output has the name of the schema; an input that differs gets this suffix. */
const INPUT = 'Input';

/** Writes schemas as TypeScript types, in linear time: a schema that has a name is written once. */
export class SchemaWriter {
  readonly #split: ReadonlySet<string>;
  readonly #named = new Map<string, { schema: Schema } & Partial<Record<Side, string[]>>>();
  readonly #declared = new Map<string, Declared>();
  /** The schemas without a name that are being written. */
  readonly #open = new Set<Schema>();

  constructor(split: ReadonlySet<string>) {
    this.#split = split;
  }

  typeOf(schema: Schema, side: Side): string {
    return this.#alternatives(schema, side).join(' | ');
  }

  #object({ shape, catchall }: z.core.$ZodObjectDef, side: Side): string {
    const members: string[] = [];
    const types = new Set<string>();
    for (const [name, member] of Object.entries(shape)) {
      const { optin, optout } = member._zod;
      // guard: client-optional-input
      const optional = side === 'input' ? optin !== undefined : optout === 'optional';
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const alternatives = this.#alternatives(member, side);
      members.push(`${docOf(member)}${key}${optional ? '?' : ''}: ${alternatives.join(' | ')};`);
      for (const type of alternatives) types.add(type);
      if (optional) types.add('undefined');
    }
    if (catchall && catchall._zod.def.type !== 'never') {
      // An index signature must include the types of all members.
      const rest = this.#alternatives(catchall, side);
      members.push(`[name: string]: ${unique([...rest, ...types]).join(' | ')};`);
    }
    return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('\n')}\n}`;
  }

  /** The names of schemas whose input and output differ. */
  split(): Set<string> {
    const different = [...this.#named].filter(
      ([, { input, output }]) => input && output && input.join() !== output.join(),
    );
    return new Set(different.map(([name]) => name)).union(this.#split);
  }

  result(): SchemaTypes {
    const declarations = [...this.#named].flatMap(([name, { input, output }]) => {
      if (!this.#split.has(name)) return [declaration(name, output ?? input ?? [])];
      return [
        ...(output ? [declaration(name, output)] : []),
        ...(input ? [declaration(`${name}${INPUT}`, input)] : []),
      ];
    });
    return { declarations, declared: [...this.#declared.values()] };
  }

  /** The alternatives of a union type, each of which can be followed by `[]`. */
  #alternatives(schema: Schema, side: Side): string[] {
    for (const origin of originsOf(schema)) {
      const declared = declaredTypes.get(origin);
      if (declared && 'itemsOf' in declared)
        return [`AsyncIterable<TrackedEnvelope<${this.typeOf(declared.itemsOf, side)}>>`];
      // guard: client-without-any
      if (declared) return [this.#declare(declared)];
      const name = z.globalRegistry.get(origin)?.id;
      if (name !== undefined) return [this.#reference(name, origin, side)];
    }
    if (this.#open.has(schema)) throw new Error('A schema that contains itself needs a name: .meta({ id }).');
    this.#open.add(schema);
    const alternatives = this.#expanded(schema, side);
    this.#open.delete(schema);
    return alternatives;
  }

  #declare(declared: Declared): string {
    const { name, module } = this.#declared.get(declared.name) ?? declared;
    if (module !== declared.module) throw new Error(`Two types are named ${name}.`);
    this.#declared.set(name, declared);
    return name;
  }

  #reference(name: string, schema: Schema, side: Side): string {
    const known = this.#named.get(name) ?? { schema };
    if (known.schema !== schema) throw new Error(`Two schemas are named ${name}.`);
    this.#named.set(name, known);
    if (known[side] === undefined) {
      known[side] = [];
      known[side] = this.#expanded(schema, side);
    }
    return side === 'input' && this.#split.has(name) ? `${name}${INPUT}` : name;
  }

  #expanded(schema: Schema, side: Side): string[] {
    const { def } = schema._zod as z.core.$ZodTypes['_zod'];
    const typeOf = (inner: Schema) => this.typeOf(inner, side);
    const listOf = (inner: Schema) => {
      const alternatives = this.#alternatives(inner, side);
      return alternatives.length === 1 ? `${alternatives[0]}[]` : `(${alternatives.join(' | ')})[]`;
    };
    switch (def.type) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'bigint':
      case 'null':
      case 'undefined':
      case 'unknown':
      case 'never':
      case 'void':
        return [def.type];
      case 'date':
        return ['Date'];
      case 'enum':
        return [...new Set(Object.values(def.entries))].map((value) => JSON.stringify(value));
      case 'literal':
        return def.values.map((value) => (value === undefined ? 'undefined' : JSON.stringify(value)));
      case 'object':
        return [this.#object(def, side)];
      case 'array':
        return [listOf(def.element)];
      case 'tuple':
        return [
          `[${[...def.items.map(typeOf), ...(def.rest ? [`...${listOf(def.rest)}`] : [])].join(', ')}]`,
        ];
      case 'record': {
        const record = `Record<${typeOf(def.keyType)}, ${typeOf(def.valueType)}>`;
        return ['partial' in def && def.partial ? `Partial<${record}>` : record];
      }
      case 'union':
        return unique(def.options.flatMap((option) => this.#alternatives(option, side)));
      case 'intersection':
        return [`(${typeOf(def.left)} & ${typeOf(def.right)})`];
      case 'nullable':
        return unique([...this.#alternatives(def.innerType, side), 'null']);
      case 'optional':
        return unique([...this.#alternatives(def.innerType, side), 'undefined']);
      case 'default':
      case 'prefault': {
        const given = this.#alternatives(def.innerType, side);
        return side === 'input' ? unique([...given, 'undefined']) : given;
      }
      case 'nonoptional':
        return this.#alternatives(def.innerType, side).filter((type) => type !== 'undefined');
      case 'readonly':
        return [`Readonly<${typeOf(def.innerType)}>`];
      case 'lazy':
        return this.#alternatives(def.getter(), side);
      case 'pipe':
        return this.#alternatives(side === 'input' ? def.in : def.out, side);
      default:
        throw new Error(
          `A schema of type ${def.type} has no TypeScript type: give it one with declaredAs().`,
        );
    }
  }
}

/** A schema, and those it was derived from by adding only checks and descriptions. */
function* originsOf(schema: Schema): Generator<Schema> {
  for (let one: Schema | undefined = schema; one; one = one._zod.parent) yield one;
}

const unique = (types: string[]): string[] => (types.includes('unknown') ? ['unknown'] : [...new Set(types)]);

const declaration = (name: string, alternatives: string[]): string =>
  alternatives.length === 1 && alternatives[0]?.startsWith('{')
    ? `export interface ${name} ${alternatives[0]}`
    : `export type ${name} = ${alternatives.join(' | ')};`;

/** The description of a schema as a doc comment, which editors show. */
function docOf(schema: Schema): string {
  const description = descriptionOf(schema);
  return description ? comment(description) : '';
}

/** A text as a doc comment, with any end of a comment in it escaped. */
export const comment = (text: string): string => `/** ${text.replaceAll('*/', '*\\/')} */\n`;

function descriptionOf(schema: Schema): string | undefined {
  const described = z.globalRegistry.get(schema);
  if (described?.description !== undefined && described.id === undefined) return described.description;
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  return 'innerType' in def ? descriptionOf(def.innerType) : undefined;
}
