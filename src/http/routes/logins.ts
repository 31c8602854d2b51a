/**
 * Logins as a resource: reading their state, starting a sign-in in advance, and deleting them.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { unlessAway } from '../../log/away.ts'
import type { Hosted, LoginRecord } from '../../login/logins.ts'
import type { Source } from '../../plugin.ts'
import { Nullable, OneOf, Text, Time } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, group, reply } from '../endpoint.ts'
import { Once } from '../idempotency.ts'
import { Problem } from '../problems.ts'

const LOGIN = {
  source: Text('The source.', 'microblog'),
  state: OneOf(
    ['needs_login', 'in_progress', 'ready'],
    'needs_login: a sign-in is needed; in_progress: a link to sign in is open; ready: runs use the login.',
  ),
  signed_in_at: Nullable(Time('When the sign-in was completed; null unless the login is ready.'), {
    examples: [null],
  }),
  last_used_at: Nullable(Time('When a run last used the login.'), { examples: [null] }),
  last_checked_at: Nullable(Time('When the login was last found to work.'), { examples: [null] }),
}
const LoginSchema = Type.Object(LOGIN, { additionalProperties: false })
const HostedSchema = Type.Object(
  {
    ...LOGIN,
    state: { ...LOGIN.state, examples: ['in_progress'] },
    hosted_url: Nullable(Type.String({ format: 'uri' }), {
      description:
        'The link to sign in with. It can be opened once, in a browser. null in the answer to a repeat if the link was ' +
        'opened, has expired or was withdrawn since.',
      examples: ['http://127.0.0.1:3000/login/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'],
    }),
    expires_at: Nullable(Time('When the link expires, and the sign-in with it; null without a link.')),
  },
  { additionalProperties: false },
)

const loginRoute = group({
  access: { kind: 'key', scope: 'runs', operator: false },
  rate: 'kickoff',
  tag: 'Logins',
  params: { source: { type: 'string', description: 'The source.' } },
})

/** `hosted_url` and `expires_at` are null in the answer to a repeat whose link can no longer be opened. */
type Started = Hosted | { readonly hosted_url: null; readonly expires_at: null }
const NO_LINK: Started = { hosted_url: null, expires_at: null }

/** The three login calls. */
export const loginEndpoints = (deps: Deps, once = new Once(deps)): Endpoint[] => [
  loginRoute('GET', '/v1/logins', {
    rate: 'read',
    id: 'listLogins',
    summary: 'List logins',
    description: 'One for each source that has a sign-in, by name.',
    answers: { 200: reply('The logins.', Type.Object({ logins: Type.Array(LoginSchema) })) },
    handle: async ({ key }) => {
      const names = sourcesWithLogin(deps).map(({ name }) => name)
      return answer({ logins: await deps.logins.list(key.accountId, names) })
    },
  }),
  loginRoute('POST', '/v1/logins/:source', {
    id: 'startLogin',
    summary: 'Start a sign-in',
    description:
      'Creates a link to sign in with, before a task call needs one or to replace a login. Runs use the current login ' +
      'until the new one is complete. No body is needed. Each call makes a link of its own, and all of them work until ' +
      'they expire. A repeat with the same Idempotency-Key gets the same link, until it is opened or has expired.',
    idempotent: true,
    answers: { 201: reply('The login, with its link.', HostedSchema) },
    problems: ['account-suspended'],
    handle: async (call) => {
      const source = namedSource(deps, call.params.source)
      const { accountId } = call.key
      if ((await deps.accounts.state(accountId)).suspended) throw new Problem('account-suspended')
      const started = await once.call<Started>(call, `logins/${source}`, {
        first: async (operation) => {
          const link = await deps.logins.ask(accountId, source, 'asked', call.cause, { operation })
          // Another process may have used the Idempotency-Key for another request at the same time.
          const done = operation && (await unlessAway(once.row(operation.id)))
          return !done || done.fingerprint === operation.fingerprint ? link : undefined
        },
        again: async ({ id }) => (await deps.logins.asked(accountId, source, id)) ?? NO_LINK,
      })
      return answer({ ...(await currentLogin(deps, call, source)), ...started }, 201, {
        'cache-control': 'no-store',
      })
    },
  }),
  loginRoute('DELETE', '/v1/logins/:source', {
    id: 'deleteLogin',
    summary: 'Delete a login',
    description:
      'Destroys the saved browser state and ends a sign-in that is in progress. Runs that have started continue. ' +
      'Deleting it again changes nothing.',
    answers: { 200: reply('The login as it is now.', LoginSchema) },
    handle: async (call) => {
      const source = namedSource(deps, call.params.source)
      await deps.logins.delete(call.key.accountId, source, call.cause)
      return answer(await currentLogin(deps, call, source))
    },
  }),
]

/** The sources that have a sign-in, sorted by name. */
export function sourcesWithLogin({ catalogue }: Deps): readonly Source[] {
  const all = new Map(catalogue.tasks.map(({ source }) => [source.name, source]))
  return [...all.values()].filter(({ login }) => login).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** @throws {Problem} 404 for a source that has no sign-in */
export function namedSource({ catalogue }: Deps, name = ''): string {
  const source = catalogue.source(name)
  if (!source?.login) throw new Problem('not-found')
  return source.name
}

async function currentLogin(deps: Deps, { key }: Call, source: string): Promise<LoginRecord> {
  const [login] = await deps.logins.list(key.accountId, [source])
  return login!
}
