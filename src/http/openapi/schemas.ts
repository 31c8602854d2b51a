/**
 * The schemas of responses, each with an example. Schemas with an `$id` become components of the OpenAPI document.
 *
 * @module
 */
import { type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox'
import { exampleOf } from '../../catalogue/example.ts'
import { RUN_ERRORS } from '../../domain/codes.ts'
import { EVENT_NAMES } from '../../domain/events.ts'
import { RUN_STATUSES } from '../../domain/run.ts'
import { PROBLEMS } from '../problems.ts'

/** A schema or null. */
export const Nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)
/** A string with its description and examples. */
export const Text = (description: string, ...examples: string[]) =>
  Type.String({ description, ...(examples.length > 0 && { examples }) })
/** An RFC 3339 time. */
export const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    description: `${description} RFC 3339 in UTC.`,
    examples: ['2026-11-21T10:00:00.000Z'],
  })
const RFC_3339 =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])[Tt]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$'
/** An RFC 3339 time that a client sends; `timeAt` parses it. @param like an example, for the error message */
export const Moment = (description: string, like: string) =>
  Type.String({ format: 'date-time', pattern: RFC_3339, 'x-must-be': `a time like ${like}`, description })
export const Count = (description: string, ...examples: number[]) =>
  Type.Integer({ minimum: 0, description, ...(examples.length > 0 && { examples }) })
/** An enumeration of strings. */
export const OneOf = <const T extends string>(values: readonly T[], description?: string, example?: T) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { ...(description && { description }), ...(example && { examples: [example] }) },
  )
const RUN_ID = 'run_01kahx3v5c8m2q7r4t9w0y6z1b'
export const RunIdField = Type.String({
  pattern: '^run_',
  description: 'The id of the run.',
  examples: [RUN_ID],
})
export const ACCOUNT_ID = 'acc_3f8k2m9q1r7t5v0w4x6y8z2a3b'
export const AccountIdField = Type.String({
  pattern: '^acc_',
  description: 'The id of the account.',
  examples: [ACCOUNT_ID],
})
/** The pagination parameters of a list. */
export const PAGE = {
  limit: Type.Integer({ minimum: 1, maximum: 500, description: 'Entries per page. Default: 50.' }),
  cursor: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'The `next_cursor` of the previous page. The other parameters must stay the same.',
  }),
}
export const NextCursor = Nullable(Type.String(), {
  description: 'The cursor of the next page; null on the last page.',
  examples: [null],
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

export const RunSchema = Type.Object(
  {
    run_id: RunIdField,
    run_status: OneOf(
      RUN_STATUSES,
      'queued, running and cancelling are in progress; the others are terminal and never change.',
      'succeeded',
    ),
    task_key: Text('The task.', 'encyclopedia.search'),
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
      done: Count('How much is done.', 1),
      total: Nullable(Count('The total amount, if it is known.'), { examples: [null] }),
      message: Nullable(Type.String(), { examples: [null] }),
    }),
    credits: Type.Object({
      charged: Count('Credits charged.', 1),
      refunded: Count('Credits refunded. A run that did not succeed is refunded in full.', 0),
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
/** Examples of runs. */
export const RUN_SUCCEEDED = exampleOf(RunSchema) as Static<typeof RunSchema>
export const RUN_QUEUED = {
  ...RUN_SUCCEEDED,
  run_status: 'queued',
  started_at: null,
  finished_at: null,
  expires_at: '2026-11-21T10:15:00.000Z',
  attempt: 0,
  progress: { done: 0, total: null, message: null },
  items: null,
  result: null,
}
export const RUN_CANCELLED = {
  ...RUN_QUEUED,
  run_status: 'cancelled',
  finished_at: '2026-11-21T10:00:02.000Z',
  expires_at: null,
  credits: { charged: 1, refunded: 1 },
}

const REQUEST_ID = 'req_9a88bac0-8ddb-495d-8454-29d626a7ae96'
export const EventSchema = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Text('Unique, and the same on every store.', '5f0c6a1e-2b7d-4c3f-9a58-6d1e0b7c9f24'),
    type: OneOf(
      EVENT_NAMES.map((name) => `gleaner.${name}`),
      '`gleaner.` and the name of the event.',
      'gleaner.CreditsGranted',
    ),
    source: Text('`/accounts/<account_id>`', `/accounts/${ACCOUNT_ID}`),
    subject: Text('The stream.', `account-${ACCOUNT_ID}`),
    time: Time('When the event was decided.'),
    datacontenttype: Type.Literal('application/json'),
    dataschema: Text('Ends in `/<name>/<version>`.', 'urn:gleaner:event/CreditsGranted/1'),
    sequence: Text('The position, for `after` and `Last-Event-ID`.', '9f2b7c1d4e6a8035.5'),
    correlationid: Text('The request id of the kickoff that led to this event.', REQUEST_ID),
    causationid: Text('The id of the request or event that led to this event.', REQUEST_ID),
    actor: Text('Who did it: `key:<key_id>`, `person:<person_id>`, `operator` or `service`.', 'operator'),
    data: Type.Unsafe<object>({
      type: 'object',
      description: 'The fields of each type are described in /asyncapi.json.',
      examples: [{ account_id: ACCOUNT_ID, amount: 100, balance_after: 500, reason: 'invoice 17' }],
    }),
  },
  { $id: 'Event', description: 'An event, as CloudEvents 1.0.' },
)

export const ProblemSchema = Type.Object(
  {
    type: Text('A link to the documentation of the code.'),
    title: Type.String(),
    status: Type.Integer(),
    detail: Text('What is wrong, and what to do about it.'),
    instance: Text('The path of the request.', '/v1/runs'),
    code: OneOf(Object.keys(PROBLEMS), 'Stable code.'),
    request_id: Text('Quote this when you ask for help.', REQUEST_ID),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Text('JSON pointer to the field; `/name` for a query parameter.', '/limt'),
          code: Type.String({ examples: ['unknown-field'] }),
          detail: Type.String({ examples: ['is not a known field; did you mean "limit"?'] }),
        }),
      ),
    ),
    run_id: Type.Optional(RunIdField),
    hosted_url: Type.Optional(
      Text('Open this link to sign in at the source.', 'http://127.0.0.1:3000/login/example'),
    ),
    expires_at: Type.Optional(Time('When `hosted_url` expires.')),
    source: Type.Optional(Type.String({ examples: ['microblog'] })),
    required: Type.Optional(Count('The price of the call, in credits.', 5)),
    balance: Type.Optional(Count('The balance of the account, in credits.', 2)),
    retry_after_s: Type.Optional(Count('Seconds to wait, the same as Retry-After.', 3)),
  },
  { $id: 'Problem', description: 'An error, as problem details (RFC 9457).' },
)
