/**
 * The schemas of answers, each with an example. Those with an `$id` become components of the OpenAPI document.
 *
 * @module
 */
import { type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox'
import { exampleOf } from '../../catalogue/example.ts'
import { RUN_ERRORS } from '../../domain/codes.ts'
import { EVENT_NAMES, Limits } from '../../domain/events.ts'
import { HEALTHS } from '../../domain/health.ts'
import { SCOPES } from '../../domain/key.ts'
import { RUN_STATUSES } from '../../domain/run.ts'
import { PROBLEMS } from '../problems.ts'

/** The same or null. */
export const Nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)
/** A string with its description and examples. */
export const Text = (description: string, ...examples: string[]) =>
  Type.String({ description, ...(examples.length > 0 && { examples }) })
/** A time, as RFC 3339. */
export const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    description: `${description} RFC 3339 in UTC.`,
    examples: ['2026-11-21T10:00:00.000Z'],
  })
const Count = (description: string, ...examples: number[]) =>
  Type.Integer({ minimum: 0, description, ...(examples.length > 0 && { examples }) })
const OneOf = <T extends string>(values: readonly T[], description: string, example?: T) =>
  Type.Unsafe<T>(Type.String({ enum: [...values], description, ...(example && { examples: [example] }) }))
const RUN_ID = 'run_01kahx3v5c8m2q7r4t9w0y6z1b'
export const RunIdField = Type.String({
  pattern: '^run_',
  description: 'The id of the run.',
  examples: [RUN_ID],
})
export const KeyIdField = Type.String({
  pattern: '^key_',
  description: 'The id of the key. It is not a secret.',
  examples: ['key_7c2d9f4g1h8j5k0m3n6p9q2r5s'],
})
const ACCOUNT_ID = 'acc_3f8k2m9q1r7t5v0w4x6y8z2a3b'
export const AccountIdField = Type.String({
  pattern: '^acc_',
  description: 'The id of the account.',
  examples: [ACCOUNT_ID],
})
/** The query parameters of a list's pages. */
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
      total: Nullable(Count('Out of how much, if that is known.'), { examples: [null] }),
      message: Nullable(Type.String(), { examples: [null] }),
    }),
    credits: Type.Object({
      charged: Count('Credits charged.', 1),
      refunded: Count('Credits refunded. A run that did not succeed is refunded in full.', 0),
    }),
    result: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description:
        'What the run collected, as described by the output schema of its task: `items`, `next_cursor` and more. ' +
        '`partial` is true if the run ended early. Null while the run is in progress; `{"expired_at": …}` once the ' +
        'result has been deleted.',
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
  result: null,
}
export const RUN_CANCELLED = {
  ...RUN_QUEUED,
  run_status: 'cancelled',
  finished_at: '2026-11-21T10:00:02.000Z',
  expires_at: null,
  credits: { charged: 1, refunded: 1 },
}

const HEALTH_WORDS = Object.entries(HEALTHS)
  .map(([health, words]) => `${health}: ${words}`)
  .join('; ')

export const TaskSchema = Type.Object(
  {
    task_key: Type.String(),
    title: Type.String(),
    description: Type.String(),
    path: Text('POST here to start a run.'),
    aliases: Type.Array(Type.String(), { description: 'Other paths of the same task.' }),
    credit_cost: Count('The minimum price of a run, in credits.'),
    pricing: Nullable(Type.String(), {
      description: 'How the price depends on the input; null if it does not.',
    }),
    requires_login: Type.Boolean({ description: 'Whether the account needs a login at the source.' }),
    input_schema: Type.Unsafe<object>({ type: 'object', description: 'JSON Schema 2020-12 of the body.' }),
    output_schema: Type.Unsafe<object>({ type: 'object', description: 'JSON Schema 2020-12 of `result`.' }),
    example: Type.Unsafe<object>({ type: 'object', description: 'A body that works.' }),
    source: Text('The source that the task reads.'),
    health: OneOf(
      Object.keys(HEALTHS),
      `How the latest runs ended, at most 20, over all accounts. ${HEALTH_WORDS}.`,
    ),
  },
  { $id: 'Task', description: 'One thing that can be collected from a source.' },
)

const KEY_FIELDS = {
  key_id: KeyIdField,
  name: Nullable(Type.String({ examples: ['ci'] })),
  prefix: Text('The first 8 characters of the key.', 'gln_8kQz'),
  scopes: Type.Array(OneOf(SCOPES, 'runs, admin or events; none implies another.')),
  created_at: Time('When the key was created.'),
  last_used_at: Nullable(Time('When the key was last used, give or take a few seconds.')),
  expires_at: Nullable(Time('When the key expires.'), { examples: [null] }),
  revoked_at: Nullable(Time('When the key was revoked.'), { examples: [null] }),
}
export const KeySchema = Type.Object(KEY_FIELDS, {
  $id: 'Key',
  description: 'An API key, without the key itself.',
})
/** The key itself, which is shown once. */
export const ApiKeyField = Text(
  'The API key. It is shown only once.',
  'gln_8kQzEXAMPLEexampleEXAMPLEexampleEXAMPLEexamp_4erIC4',
)
export const NewKeySchema = Type.Object(
  { ...KEY_FIELDS, api_key: ApiKeyField },
  { $id: 'NewKey', description: 'An API key that was just created.' },
)

export const AccountSchema = Type.Object(
  {
    account_id: AccountIdField,
    name: Type.String({ examples: ['Team Otter'] }),
    balance: Count('Credits.', 499),
    tasks: Type.Array(Type.String({ examples: ['*'] }), {
      description:
        'The tasks that the account may run: `*` for all, `forum.*` for those of a source, or the key of a task.',
    }),
    limits: Type.Required(Limits, {
      description: 'The limits of the account. 0 means no limit.',
      examples: [
        { kickoff_per_minute: 120, read_per_minute: 1200, admin_per_minute: 60, concurrent_runs: 10 },
      ],
    }),
    suspended: Type.Boolean({
      description: 'A suspended account can read, but it cannot start runs.',
      examples: [false],
    }),
  },
  { $id: 'Account', description: 'A team. It owns keys, credits and runs.' },
)

export const LedgerEntrySchema = Type.Object(
  {
    entry_id: Type.String({ examples: [`ent_${ACCOUNT_ID.slice('acc_'.length)}_2`] }),
    at: Time('When the entry was made.'),
    kind: OneOf(['charged', 'granted', 'refunded'], 'What kind of entry it is.'),
    amount: Type.Integer({
      description: 'Credits; negative for a charge. The sum of all amounts is the balance.',
      examples: [-1],
    }),
    balance_after: Count('The balance after the entry.', 499),
    run_id: Nullable(RunIdField),
    reason: Nullable(Type.String({ examples: ['encyclopedia.search'] }), {
      description: 'The task of a charge, the end of the run for a refund, the reason given for a grant.',
    }),
  },
  { $id: 'LedgerEntry', description: 'One entry in the ledger of an account.' },
)

const REQUEST_ID = 'req_9a88bac0-8ddb-495d-8454-29d626a7ae96'
const PositionField = Text('The position, for `after` and `Last-Event-ID`.', '9f2b7c1d4e6a8035.5')
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
    sequence: PositionField,
    correlationid: Text('The request id of the kickoff that led to this event.', REQUEST_ID),
    causationid: Text('The id of the request or event that led to this event.', REQUEST_ID),
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

/**
 * A run of one task: with the result that this task's output schema describes.
 *
 * @param name what the result is called among the components
 */
export const runWithResult = (name: string, outputSchema: object): TSchema =>
  Type.Unsafe({
    allOf: [
      RunSchema,
      {
        type: 'object',
        properties: {
          result: {
            anyOf: [
              { ...outputSchema, $id: name },
              {
                type: 'object',
                required: ['expired_at'],
                properties: { expired_at: Time('When the result was deleted.') },
                additionalProperties: false,
              },
              { type: 'null' },
            ],
          },
        },
      },
    ],
  })

/** The objects as types. */
export type AccountView = Static<typeof AccountSchema>
export type LedgerEntryView = Static<typeof LedgerEntrySchema>
