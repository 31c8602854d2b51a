/**
 * Logins as a resource: how they stand, starting a sign-in before it is needed, and deleting them.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import type { KeyPrincipal } from '../../keys/principal.ts'
import type { Hosted, LoginView } from '../../logins/logins.ts'
import type { Source } from '../../plugin.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Access, Call, Endpoint } from '../endpoint.ts'
import { Problem } from '../problems.ts'

const ACCESS: Access = { kind: 'key', scope: 'runs', operator: false }

const Time = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })
const LOGIN = {
  source: Type.String({ description: 'the source that one signs in at' }),
  state: Type.Union([Type.Literal('needs_login'), Type.Literal('in_progress'), Type.Literal('ready')], {
    description:
      'needs_login: somebody has to sign in; in_progress: there is a link for that; ready: runs use it',
  }),
  signed_in_at: Time('when somebody signed in; null unless it is ready'),
  last_used_at: Time('when a run used it last'),
  last_checked_at: Time('when it was last found to work'),
}
const LoginSchema = Type.Object(LOGIN, { additionalProperties: false })
const HostedSchema = Type.Object(
  {
    ...LOGIN,
    hosted_url: Type.String({ format: 'uri', description: 'to be opened once, in a browser' }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'until when it can be opened, and the sign-in done',
    }),
  },
  { additionalProperties: false },
)
const READY = {
  source: 'microblog',
  state: 'ready',
  signed_in_at: '2026-11-21T10:00:00.000Z',
  last_used_at: '2026-11-21T10:05:00.000Z',
  last_checked_at: '2026-11-21T10:05:00.000Z',
}
const NEEDED = {
  source: 'microblog',
  state: 'needs_login',
  signed_in_at: null,
  last_used_at: null,
  last_checked_at: null,
}
const ASKED = {
  ...NEEDED,
  state: 'in_progress',
  hosted_url: 'http://127.0.0.1:3000/login/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
  expires_at: '2026-11-21T10:15:00.000Z',
}

/** The three calls. */
export const loginEndpoints = (deps: Deps): Endpoint[] => [
  {
    method: 'GET',
    path: '/v1/logins',
    access: ACCESS,
    rate: 'read',
    doc: {
      id: 'listLogins',
      tag: 'Logins',
      summary: 'List logins',
      description: 'One for each source that one can sign in at, by name.',
      answers: {
        200: {
          description: 'The logins.',
          schema: Type.Object({ logins: Type.Array(LoginSchema) }),
          example: { logins: [READY] },
        },
      },
      problems: ['store-unavailable'],
    },
    handle: (call: Call<KeyPrincipal>) => list(deps, call),
  },
  {
    method: 'POST',
    path: '/v1/logins/:source',
    access: ACCESS,
    rate: 'kickoff',
    doc: {
      id: 'startLogin',
      tag: 'Logins',
      summary: 'Start a sign-in',
      description:
        'Makes a link to sign in with, before a task call needs it or in place of a login that is there, which runs ' +
        'use until the new one is complete. Needs no body.',
      path: { source: { type: 'string', description: 'the source' } },
      answers: { 201: { description: 'The login, with its link.', schema: HostedSchema, example: ASKED } },
      problems: ['account-suspended', 'not-found', 'store-unavailable'],
    },
    handle: (call: Call<KeyPrincipal>) => start(deps, call),
  },
  {
    method: 'DELETE',
    path: '/v1/logins/:source',
    access: ACCESS,
    rate: 'kickoff',
    doc: {
      id: 'deleteLogin',
      tag: 'Logins',
      summary: 'Delete a login',
      description:
        'Destroys the saved state and ends a sign-in that is under way. Runs that have begun go on. Again: the same.',
      path: { source: { type: 'string', description: 'the source' } },
      answers: { 200: { description: 'The login as it is now.', schema: LoginSchema, example: NEEDED } },
      problems: ['not-found', 'store-unavailable'],
    },
    handle: (call: Call<KeyPrincipal>) => remove(deps, call),
  },
]

/** The sources that one can sign in at, by name. */
export function sourcesWithLogin({ catalogue }: Pick<Deps, 'catalogue'>): readonly Source[] {
  const all = new Map(catalogue.tasks.map(({ source }) => [source.name, source]))
  return [...all.values()].filter(({ login }) => login).sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function list(deps: Deps, { principal }: Call<KeyPrincipal>): Promise<Response> {
  const names = sourcesWithLogin(deps).map(({ name }) => name)
  const logins = await deps.logins.list(principal.accountId, names)
  return answer({ logins: logins.map(recordOf) })
}

async function start(deps: Deps, call: Call<KeyPrincipal>): Promise<Response> {
  const source = named(deps, call)
  const { accountId } = call.principal
  if ((await deps.ledger.state(accountId)).suspended) throw new Problem('account-suspended')
  const hosted = await deps.logins.ask(accountId, source, 'asked', causeOf(deps, call))
  return answer({ ...(await record(deps, call, source)), ...hostedFields(hosted) }, 201)
}

async function remove(deps: Deps, call: Call<KeyPrincipal>): Promise<Response> {
  const source = named(deps, call)
  await deps.logins.delete(call.principal.accountId, source, causeOf(deps, call))
  return answer(await record(deps, call, source))
}

/** @throws {Problem} 404 for a source that has no sign-in */
function named(deps: Deps, { params }: Call): string {
  const known = sourcesWithLogin(deps).find(({ name }) => name === params.source)
  if (!known) throw new Problem('not-found')
  return known.name
}

async function record(deps: Deps, { principal }: Call<KeyPrincipal>, source: string): Promise<object> {
  const [login] = await deps.logins.list(principal.accountId, [source])
  return recordOf(login!)
}

const recordOf = ({ source, state, signedInAt, usedAt, checkedAt }: LoginView): object => ({
  source,
  state,
  signed_in_at: timeOf(signedInAt),
  last_used_at: timeOf(usedAt),
  last_checked_at: timeOf(checkedAt),
})

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** A link as answers show it. */
export const hostedFields = ({ hostedUrl, expiresAt }: Hosted) => ({
  hosted_url: hostedUrl,
  expires_at: new Date(expiresAt).toISOString(),
})

const causeOf = ({ now }: Deps, { requestId }: Call) => ({
  correlationId: requestId,
  causationId: requestId,
  now: now(),
})
