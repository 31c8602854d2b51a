/** How a source declares its login, and how a task learns whether it is signed in. */
import { describe, expect, test } from 'bun:test'
import { runTask } from '../../src/plugin/testing.ts'
import {
  defineSource,
  defineTask,
  type Login,
  type SourceOptions,
  type Task,
  Type,
} from '../../src/plugin.ts'

const login: Login = { url: '/sign-in', signedIn: { cookies: ['session'] } }
const task = (needs?: Task['needs']) =>
  defineTask({
    key: 'lamps.mine',
    path: '/v1/lamps/mine',
    title: 'My lamps',
    description: 'Lamps of the account.',
    price: 1,
    input: Type.Object({}),
    item: Type.Object({ signedIn: Type.Boolean() }),
    example: {},
    ...(needs && { needs }),
    async *run({ signedIn }) {
      yield { signedIn }
      return undefined
    },
  })
const lamps = (options: Partial<SourceOptions>) => () =>
  defineSource({
    name: 'lamps',
    title: 'Lamps',
    origin: 'https://www.lamps.example',
    hosts: ['*.lampid.example'],
    tasks: [],
    ...options,
  })

describe('a login', () => {
  test.each<Login>([
    login,
    { ...login, url: 'https://www.lamps.example/in?to=%2F' },
    { ...login, url: 'https://my.lampid.example/in', check: { url: '/home' } },
    {
      url: 'https://in.accounts.example/',
      hosts: ['*.accounts.example'],
      signedIn: { cookies: ['session', '__Host-id@my.accounts.example'], url: /\/home$/ },
      check: { url: 'https://my.lampid.example/{session}' },
    },
  ])('can be declared: %j', (declared) => {
    expect(lamps({ login: declared })().login).toBe(declared)
  })

  test.each<[Login, string]>([
    [{ ...login, url: 'sign-in' }, 'login.url "sign-in" of lamps must be on its origin or hosts'],
    [{ ...login, url: '//evil.example/' }, 'login.url'],
    [{ ...login, url: 'https://evil.example/' }, 'login.url'],
    [{ ...login, url: 'https://ann@www.lamps.example/' }, 'login.url'],
    [{ ...login, url: 'https://www.lamps.example:8443/' }, 'login.url'],
    [{ ...login, url: 'javascript:alert(1)' }, 'login.url'],
    [{ ...login, check: { url: 'https://evil.example/' } }, 'login.check'],
    [{ ...login, hosts: ['in.example'], check: { url: 'https://in.example/' } }, 'login.check'],
    [{ ...login, hosts: ['https://in.example'] }, 'host "https://in.example"'],
    [{ ...login, signedIn: { cookies: [] } }, 'must name at least one cookie'],
    [{ ...login, signedIn: { cookies: ['a b'] } }, 'cookie "a b"'],
    [{ ...login, signedIn: { cookies: ['a@b@c.example'] } }, 'cookie'],
    [{ ...login, signedIn: { cookies: ['a@evil.example'] } }, 'must be on one of its hosts'],
    [{ ...login, signedIn: { cookies: ['a'], url: /x/g } }, 'flags g or y'],
    [{ ...login, signedIn: { cookies: ['a'], url: /x/y } }, 'flags g or y'],
  ])('is refused: %j', (declared, words) => {
    expect(lamps({ login: declared })).toThrow(words)
  })

  test.each([true, 'optional'] as const)('must be declared if a task needs one (%p)', (needed) => {
    const tasks = [task({ login: needed })]
    expect(lamps({ tasks })).toThrow('task lamps.mine needs a login, which lamps does not declare')
    expect(lamps({ tasks, login })().tasks).toBe(tasks)
  })
})

test.each<[Task['needs'], boolean | undefined, boolean]>([
  [undefined, undefined, false],
  [{ login: 'optional' }, undefined, false],
  [{ login: 'optional' }, true, true],
  [{ login: true }, undefined, true],
  [{ login: true }, false, false],
])('a task with needs %j and the login state %p gets signedIn', async (needs, signedIn, expected) => {
  const one = task(needs)
  const source = lamps({ tasks: [one], login })()
  const options = signedIn === undefined ? { source } : { source, signedIn }
  const { items } = await runTask(one, {}, { ...options, exchanges: [] })
  expect(items).toEqual([{ signedIn: expected }])
})
