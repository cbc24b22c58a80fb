import { Embed } from '../../schema/entities/embed.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';

export const readEmbed = batchedStatement((db, address: Operand) =>
  db.selectFrom('embed').select(columnsOf(Embed)).where('address', '=', address),
);

type Known = Pick<Row<Embed>, 'answeredIn' | 'expiresAt'>;

const isCurrent = ({ expiresAt }: Known): boolean => Date.parse(String(expiresAt)) > Date.now();

/** Whether an embed needs no fetching: it was fetched, and not too long ago. */
export const isSettled = (known: Known | undefined): boolean =>
  known !== undefined && known.answeredIn === null && isCurrent(known);

/** Whether readers of a space can be answered with what is known: it is settled, or they are told of more. */
export const isKnownIn = (space: string, known: Known | undefined): boolean =>
  known !== undefined && isCurrent(known) && (known.answeredIn?.includes(space) ?? true);
