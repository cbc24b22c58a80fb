import { Embed } from '../../schema/entities/embed.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';

export const readEmbed = batchedStatement((db, address: Operand) =>
  db.selectFrom('embed').select(columnsOf(Embed)).where('address', '=', address),
);

type EmbedState = Pick<Row<Embed>, 'answeredIn' | 'expiresAt'>;

const isCurrent = ({ expiresAt }: EmbedState): boolean => Date.parse(String(expiresAt)) > Date.now();

/** Whether an embed needs no fetch: it was fetched, and has not expired. */
export const isUpToDate = (known: EmbedState | undefined): boolean =>
  known !== undefined && known.answeredIn === null && isCurrent(known);

/** Whether an embed can be shown in a space without a request: it is up to date, or the space has requested its fetch. */
export const isReadyFor = (space: string, known: EmbedState | undefined): boolean =>
  known !== undefined && isCurrent(known) && (known.answeredIn?.includes(space) ?? true);
