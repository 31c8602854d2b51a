/**
 * The schema of the run object. `run-object.ts` renders what it describes.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { RUN_ERRORS } from '../domain/codes.ts'
import { RUN_STATUSES } from '../domain/run.ts'
import { Count, Nullable, OneOf, Text, Time } from '../schema.ts'

const RUN_ID = 'run_01kahx3v5c8m2q7r4t9w0y6z1b'
export const RunIdField = Type.String({
  pattern: '^run_',
  description: 'The id of the run.',
  examples: [RUN_ID],
})

export const ArtifactSchema = Type.Object(
  {
    name: Text('File name.'),
    content_type: Type.String(),
    bytes: Count('Size in bytes.'),
    sha256: Text('SHA-256, in lower-case hex.'),
    url: Text('Download the file from here.'),
  },
  { $id: 'Artifact', description: 'A file that a run produced.' },
)

export const RunErrorSchema = Type.Object(
  {
    code: OneOf(Object.keys(RUN_ERRORS), 'Stable code.'),
    title: Text('What the code means.'),
    detail: Text("More about this run, in the source's own words where it gave any."),
  },
  { $id: 'RunError', description: 'Why a run did not succeed.' },
)

export const UsageSchema = Type.Object(
  {
    requests: Count('Requests to the source, redirects and retries included.', 2),
    bytes: Count('Bytes sent and received, as on the wire.', 48_213),
  },
  { $id: 'Usage', description: 'What the requests and pages of a run used, over all its attempts.' },
)

export const RunSchema = Type.Object(
  {
    run_id: RunIdField,
    run_status: OneOf(
      RUN_STATUSES,
      'queued, running and cancelling are in progress; the others are terminal and never change.',
      'succeeded',
    ),
    task_key: Text('The task.', 'encyclopedia.search'),
    title: Nullable(
      Type.String({
        description:
          'What the run is about, to recognize it by: `_run.title` of its call, otherwise a summary of its input in at ' +
          'most 80 characters. Null if it has neither, and once its input has been deleted together with its result.',
        examples: ['otter'],
      }),
    ),
    created_at: Time('When the run was admitted.'),
    started_at: Nullable(Time('When the run first started.')),
    finished_at: Nullable(Time('When the run ended.')),
    expires_at: Nullable(Time('When the run ends at the latest; null once it has ended.'), {
      examples: [null],
    }),
    attempt: Type.Integer({
      minimum: 0,
      maximum: 3,
      description: 'The number of the attempt; 0 until the run starts.',
    }),
    progress: Type.Object({
      done: Count('How much is done, by the report of the task; without one, the number of items so far.', 1),
      total: Nullable(Count('The total amount, if it is known.'), { examples: [null] }),
      message: Nullable(Type.String(), { examples: [null] }),
    }),
    credits: Type.Object({
      charged: Count('Credits charged.', 1),
      refunded: Count('Credits refunded. A run that did not succeed is refunded in full.', 0),
    }),
    usage: Nullable(UsageSchema, {
      description: 'Null until the run has ended, and for runs that ended before usage was counted.',
      examples: [{ requests: 2, bytes: 48_213 }],
    }),
    items: Nullable(
      Count('How many items the result has, also once it is deleted; null without a result.', 1),
    ),
    result: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description:
        'What the run collected, as described by the output schema of its task: `items`, `next_cursor` and more. ' +
        '`partial` is true if the run ended early. Null while the run is in progress and in lists; ' +
        '`{"expired_at": …}` once the result has been deleted.',
      examples: [{ items: [{ title: 'Otter', pageid: 22718 }], next_cursor: '1' }],
    }),
    artifacts: Type.Array(ArtifactSchema, { examples: [[]] }),
    error: Nullable(RunErrorSchema, { examples: [null] }),
    links: Type.Object({
      self: Type.String({ examples: [`/v1/runs/${RUN_ID}`] }),
      events: Type.String({ examples: [`/v1/runs/${RUN_ID}/events`] }),
      cancel: Type.String({ examples: [`/v1/runs/${RUN_ID}/cancel`] }),
    }),
  },
  { $id: 'Run', description: 'One execution of a task.' },
)
