/**
 * A source with a login, for tests of runs with a login.
 *
 * @module
 */
import {
  at,
  type Context,
  defineSource,
  defineTask,
  LoginNeeded,
  Nullable,
  Type,
  textOrNull,
} from 'gleaner/plugin'

const item = Type.Object({ user: Nullable(Type.String()), signed_in: Type.Boolean() })

async function* whoAmI(context: Context) {
  const reply = await context.fetch('/me', { accept: [401] })
  if (reply.status === 401 && context.signedIn) throw new LoginNeeded('the session has ended')
  yield { user: textOrNull(at(await reply.json(), 'user')), signed_in: context.signedIn }
  return {}
}

const paths = Type.Object({ paths: Type.Array(Type.String()) })

/** Requests one address after the other. */
async function* ask(context: Context, { paths }: { readonly paths: readonly string[] }) {
  for (const path of paths) {
    const reply = await context.fetch(path)
    yield { user: textOrNull(at(await reply.json(), 'user')), signed_in: context.signedIn }
  }
  return {}
}

const askTask = defineTask({
  key: 'members.ask',
  path: '/v1/members/ask',
  title: 'ask',
  description: 'Says who the source takes it for, at several addresses.',
  price: 1,
  input: paths,
  item,
  example: { paths: ['/me'] },
  needs: { login: true },
  run: ask,
})

const taskOf = (what: string, login: true | 'optional') =>
  defineTask({
    key: `members.${what}`,
    path: `/v1/members/${what}`,
    title: what,
    description: 'Says who the source takes it for.',
    price: 1,
    input: Type.Object({}),
    item,
    example: {},
    needs: { login },
    run: whoAmI,
  })

export default defineSource({
  name: 'members',
  title: 'Members',
  origin: 'https://www.members.example',
  pace: { perSecond: 10_000, concurrent: 100 },
  interstitials: [{ url: /\/sign-in/, ends: 'source-login-required' }],
  login: { url: '/sign-in', signedIn: { cookies: ['session'] }, check: { url: '/home', as: 'fetch' } },
  tasks: [taskOf('me', true), taskOf('anyone', 'optional'), askTask],
})
