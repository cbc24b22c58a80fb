import { z } from 'zod';
import type { IssuesCluster } from '../../schema/entities/issues-cluster.ts';
import type { ChangeRequestStatus } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { lastWeeks } from '../engine/conversations/weeks.ts';

const count = z.number().int();

/** The public object of a cluster of issues. Its tasks are the change requests that address it. */
export const IssuesClusterObject = z
  .object({
    object: z.literal('issues-cluster').describe('The type of the object: always `issues-cluster`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    label: z.string().describe('The name, as shown to users.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When its issues last changed, in ISO 8601 UTC.'),
    icon: z.string().describe('The name of its icon.'),
    summary: z.string().describe('What it is about, in a few sentences.'),
    describeError: z
      .string()
      .optional()
      .describe(
        'Why the language model could not describe it at the last attempt: `label` and `summary` are those of one of its issues, or describe fewer of them.',
      ),
    weeklyPulse: z
      .array(count)
      .length(13)
      .describe(
        'The number of issues by the week in which their conversation began, from Monday in UTC; the current week comes last.',
      ),
    sources: z
      .record(z.string(), count)
      .describe('The number of issues by the source of their conversation.'),
    stats: z
      .object({
        issues: count.describe('The number of its issues.'),
        conversations: count.describe('The number of conversations that they come from.'),
        tasksTotal: count.describe('The number of change requests that address it.'),
        tasksBacklog: count.describe('The number of these that are drafts.'),
        tasksStarted: count.describe('The number of these that are open.'),
        tasksCompleted: count.describe('The number of these that are merged.'),
        tasksCancelled: count.describe('The number of these that are archived.'),
      })
      .describe('The numbers of its issues, conversations and change requests.'),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
      })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'ConversationsIssuesCluster', description: 'A group of issues about the same subject.' });

/** The number of change requests with each status that address a cluster. */
export type TasksByStatus = Partial<Record<ChangeRequestStatus, number>>;

export const presentCluster = (
  cluster: Presentable<IssuesCluster>,
  { draft = 0, open = 0, merged = 0, archived = 0 }: TasksByStatus,
  { urls }: Pick<Viewer, 'urls'>,
): z.infer<typeof IssuesClusterObject> => ({
  object: 'issues-cluster',
  id: cluster.id,
  label: cluster.label,
  createdAt: isoTime(cluster.createdAt),
  updatedAt: isoTime(cluster.updatedAt),
  icon: cluster.icon,
  summary: cluster.summary,
  describeError: cluster.describeError ?? undefined,
  weeklyPulse: lastWeeks(cluster.weeks, new Date()),
  sources: cluster.sources,
  stats: {
    issues: cluster.issues,
    conversations: cluster.conversations,
    tasksTotal: draft + open + merged + archived,
    tasksBacklog: draft,
    tasksStarted: open,
    tasksCompleted: merged,
    tasksCancelled: archived,
  },
  urls: {
    location: urls.location('orgs', cluster.organization, 'conversations-clusters', cluster.id),
    app: urls.app('orgs', cluster.organization, 'conversations-clusters', cluster.id),
  },
});
