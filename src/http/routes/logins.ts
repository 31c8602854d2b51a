/**
 * Logins as a resource: reading their state, starting a sign-in in advance, and deleting them.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import type { LoginRecord } from '../../login/logins.ts'
import type { Source } from '../../plugin.ts'
import { Nullable, OneOf, Text, Time } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, group, reply } from '../endpoint.ts'
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
    hosted_url: Type.String({
      format: 'uri',
      description: 'The link to sign in with. It can be opened once, in a browser.',
      examples: ['http://127.0.0.1:3000/login/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'],
    }),
    expires_at: Time('When the link expires, and the sign-in with it.'),
  },
  { additionalProperties: false },
)

const loginRoute = group({
  access: { kind: 'key', scope: 'runs', operator: false },
  rate: 'kickoff',
  tag: 'Logins',
  params: { source: { type: 'string', description: 'The source.' } },
})

/** The three login calls. */
export const loginEndpoints = (deps: Deps): Endpoint[] => [
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
      'until the new one is complete. No body is needed. The call can be repeated: each answer has a link of its own, and ' +
      'all of them work until they expire.',
    answers: { 201: reply('The login, with its link.', HostedSchema) },
    problems: ['account-suspended'],
    handle: async (call) => {
      const source = namedSource(deps, call.params.source)
      const { accountId } = call.key
      if ((await deps.accounts.state(accountId)).suspended) throw new Problem('account-suspended')
      const hosted = await deps.logins.ask(accountId, source, 'asked', call.cause)
      return answer({ ...(await currentLogin(deps, call, source)), ...hosted }, 201)
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
