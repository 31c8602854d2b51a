/**
 * The schemas of responses, each with an example. Schemas with an `$id` become components of the OpenAPI document.
 *
 * @module
 */
import { type Static, Type } from '@sinclair/typebox'
import { exampleOf } from '../../catalogue/example.ts'
import { EVENT_NAMES } from '../../domain/events.ts'
import { RunIdField, RunSchema } from '../../runs/run-schema.ts'
import { Count, Nullable, OneOf, Text, Time } from '../../schema.ts'
import { PROBLEMS } from '../problems.ts'

const RFC_3339 =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])[Tt]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$'
/** An RFC 3339 time that a client sends; `timeAt` parses it. @param like an example, for the error message */
export const Moment = (description: string, like: string) =>
  Type.String({ format: 'date-time', pattern: RFC_3339, 'x-must-be': `a time like ${like}`, description })
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
  usage: null,
  items: null,
  result: null,
}
export const RUN_CANCELLED = {
  ...RUN_QUEUED,
  run_status: 'cancelled',
  finished_at: '2026-11-21T10:00:02.000Z',
  expires_at: null,
  credits: { charged: 1, refunded: 1 },
  usage: { requests: 0, bytes: 0 },
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
