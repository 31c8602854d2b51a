/**
 * The shapes of what is answered, each with an example. Those with an `$id` stand among the components of the OpenAPI
 * document and are referred to by it; endpoints use them as they are.
 *
 * @module
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { RUN_ERRORS } from '../../domain/codes.ts'
import { EVENT_NAMES, Limits } from '../../domain/events.ts'
import { HEALTHS } from '../../domain/health.ts'
import { SCOPES } from '../../domain/key.ts'
import { RUN_STATUSES } from '../../domain/run.ts'
import { PROBLEMS } from '../problems.ts'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Time = (description: string) =>
  Type.String({ format: 'date-time', description: `${description}; RFC 3339 in UTC` })
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const OneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>(Type.String({ enum: [...values], description }))
export const RunIdField = Type.String({ pattern: '^run_', description: 'Id of the run' })
export const KeyIdField = Type.String({ pattern: '^key_', description: 'Id of the key; no secret' })
export const AccountIdField = Type.String({ pattern: '^acc_', description: 'Id of the account' })

export const ArtifactSchema = Type.Object(
  {
    name: Type.String({ description: 'File name' }),
    content_type: Type.String(),
    bytes: Count('Size'),
    sha256: Type.String({ description: 'SHA-256, lower-case hex' }),
    url: Type.String({ description: 'Where to download it' }),
  },
  { $id: 'Artifact', description: 'A file that a run made.' },
)

export const RunErrorSchema = Type.Object(
  {
    code: OneOf(Object.keys(RUN_ERRORS), 'Stable code'),
    title: Type.String({ description: 'What the code means' }),
    detail: Type.String({
      description: "What is known beyond that: the source's own words where it gave some",
    }),
  },
  { $id: 'RunError', description: 'Why a run did not succeed.' },
)

export const RunSchema = Type.Object(
  {
    run_id: RunIdField,
    run_status: OneOf(
      RUN_STATUSES,
      'queued, running and cancelling are under way; the others are terminal and never change',
    ),
    task_key: Type.String({ description: 'The task' }),
    created_at: Time('When it was admitted'),
    started_at: Nullable(Time('When it was first started')),
    finished_at: Nullable(Time('When it ended')),
    expires_at: Nullable(Time('When it ends at the latest; null once it has ended')),
    attempt: Type.Integer({ minimum: 0, maximum: 3, description: '0 until it starts' }),
    progress: Type.Object({
      done: Count('How much is done'),
      total: Nullable(Count('Of how much, where that is known')),
      message: Nullable(Type.String()),
    }),
    credits: Type.Object({
      charged: Count('Credits taken'),
      refunded: Count('Credits given back; a run that did not succeed gets all of them back'),
    }),
    result: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description:
        'What it collected, as the output schema of the task says: `items`, `next_cursor` and more. `partial` is true ' +
        'where the run ended early. Null while it is under way; `{"expired_at": …}` after its retention.',
    }),
    artifacts: Type.Array(ArtifactSchema),
    error: Nullable(RunErrorSchema),
    links: Type.Object({ self: Type.String(), events: Type.String(), cancel: Type.String() }),
  },
  { $id: 'Run', description: 'One execution of a task.' },
)

const HEALTH_WORDS = Object.entries(HEALTHS)
  .map(([health, words]) => `${health}: ${words}`)
  .join('; ')

export const TaskSchema = Type.Object(
  {
    task_key: Type.String(),
    title: Type.String(),
    description: Type.String(),
    path: Type.String({ description: 'POST here to start a run' }),
    aliases: Type.Array(Type.String(), { description: 'Other paths of the same task' }),
    credit_cost: Count('Credits that a run costs, at least'),
    pricing: Nullable(
      Type.String({ description: 'How the price depends on the input; null where it does not' }),
    ),
    requires_login: Type.Boolean({ description: 'It needs a login of the account at the source' }),
    input_schema: Type.Unsafe<object>({ type: 'object', description: 'JSON Schema 2020-12 of the body' }),
    output_schema: Type.Unsafe<object>({ type: 'object', description: 'JSON Schema 2020-12 of `result`' }),
    example: Type.Unsafe<object>({ type: 'object', description: 'A body that works' }),
    source: Type.String({ description: 'The source that it reads' }),
    health: OneOf(
      Object.keys(HEALTHS),
      `How its latest runs ended, at most 20, those of all accounts. ${HEALTH_WORDS}`,
    ),
  },
  { $id: 'Task', description: 'One thing that can be collected from a source.' },
)

const KEY_FIELDS = {
  key_id: KeyIdField,
  name: Nullable(Type.String()),
  prefix: Type.String({ description: 'The first 8 characters of the key' }),
  scopes: Type.Array(OneOf(SCOPES, 'runs, admin or events; none implies another')),
  created_at: Time('When it was made'),
  last_used_at: Nullable(Time('When it was last used; it may be some seconds old')),
  expires_at: Nullable(Time('From when on it is refused')),
  revoked_at: Nullable(Time('When it was revoked')),
}
export const KeySchema = Type.Object(KEY_FIELDS, {
  $id: 'Key',
  description: 'An API key, without the key itself.',
})
export const NewKeySchema = Type.Object(
  {
    ...KEY_FIELDS,
    api_key: Type.String({ description: 'The key itself: this is the only time it is shown' }),
  },
  { $id: 'NewKey', description: 'An API key that was made just now.' },
)

export const AccountSchema = Type.Object(
  {
    account_id: AccountIdField,
    name: Type.String(),
    balance: Count('Credits'),
    tasks: Type.Array(Type.String(), {
      description:
        'What it may use: `*` for all tasks, `forum.*` for those of a source, or the key of a task',
    }),
    limits: Type.Required(Limits, { description: 'The limits that hold for it; 0 is no limit' }),
    suspended: Type.Boolean({ description: 'It can read, but it cannot start runs' }),
  },
  { $id: 'Account', description: 'A team: it owns keys, credits and runs.' },
)

export const LedgerEntrySchema = Type.Object(
  {
    entry_id: Type.String(),
    at: Time('When it was booked'),
    kind: OneOf(['granted', 'charged', 'refunded'], 'What was booked'),
    amount: Type.Integer({ description: 'Credits: below zero for a charge. The sum of all is the balance' }),
    balance_after: Count('The balance after it'),
    run_id: Nullable(RunIdField),
    reason: Nullable(
      Type.String({ description: 'The task of a charge, the end of a refund, the words of a grant' }),
    ),
  },
  { $id: 'LedgerEntry', description: 'One booking of an account.' },
)

export const EventSchema = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({ description: 'Unique for ever, and the same on every store' }),
    type: OneOf(
      EVENT_NAMES.map((name) => `gleaner.${name}`),
      '`gleaner.` and the name of the event',
    ),
    source: Type.String({ description: '`/accounts/<account_id>`' }),
    subject: Type.String({ description: 'The stream' }),
    time: Time('When it was decided'),
    datacontenttype: Type.Literal('application/json'),
    dataschema: Type.String({ description: 'Ends in `/<name>/<version>`' }),
    sequence: Type.String({ description: 'Its position: what `after` and `Last-Event-ID` take' }),
    correlationid: Type.String({ description: 'Request id of the kickoff that all this follows from' }),
    causationid: Type.String({ description: 'Id of the request or event that led to it' }),
    data: Type.Unsafe<object>({
      type: 'object',
      description: 'See /asyncapi.json for the fields of each type',
    }),
  },
  { $id: 'Event', description: 'An event, as CloudEvents 1.0.' },
)

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'Where the code is explained' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong, and what to do' }),
    instance: Type.String({ description: 'The path of the request' }),
    code: OneOf(Object.keys(PROBLEMS), 'Stable code'),
    request_id: Type.String({ description: 'Quote it when you ask for help' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({ description: 'JSON pointer to the field; `/name` for a query parameter' }),
          code: Type.String(),
          detail: Type.String(),
        }),
      ),
    ),
    run_id: Type.Optional(RunIdField),
    hosted_url: Type.Optional(Type.String({ description: 'Where to sign in at the source' })),
    expires_at: Type.Optional(Time('Until when `hosted_url` works')),
    source: Type.Optional(Type.String()),
    required: Type.Optional(Count('Credits that the call costs')),
    balance: Type.Optional(Count('Credits that the account has')),
    retry_after_s: Type.Optional(Count('Seconds; the same as Retry-After')),
  },
  { $id: 'Problem', description: 'What went wrong, as RFC 9457.' },
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
                properties: { expired_at: Time('When the result was deleted') },
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
