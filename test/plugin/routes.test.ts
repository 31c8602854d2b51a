/** A task's ways to the same data: which refusal leads to the next one, and what is remembered. */
import { describe, expect, test } from 'bun:test'
import { ExitUnreachable } from '../../src/net/transport/transport.ts'
import { createMemory } from '../../src/plugin/run/memory.ts'
import {
  BadInput,
  Blocked,
  LoginNeeded,
  type Note,
  NotFound,
  Private,
  RateLimited,
  Restricted,
  type Route,
  readRows,
  routes,
  SourceChanged,
  SourceError,
  TryAgain,
  Unavailable,
} from '../../src/plugin.ts'

function newContext(exitMemory = createMemory(() => 0)) {
  const notes: Note[] = []
  return { exitMemory, notes, note: (what: Note) => void notes.push(what) }
}

const refuses = (name: string, error: Error, options: Partial<Route<void, string>> = {}) => ({
  name,
  ...options,
  read: async (): Promise<string> => {
    throw error
  },
})
const answers = (name: string) => ({ name, read: async () => `from ${name}` })
const codeOf = async (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error: SourceError) => [error.code, error.message],
  )

describe('a refusal', () => {
  test.each([
    new Blocked('a captcha'),
    new SourceChanged('404'),
    new SourceError('source-redirected', 'to a.example'),
    new Unavailable('503'),
    new LoginNeeded('members only'),
    // The exit may reach the host of the next route.
    new ExitUnreachable({ where: 'here', reason: '502 to CONNECT' }),
  ])('of the route leads to the next one: %s', async (error) => {
    const context = newContext()
    expect(await routes(context, [refuses('api', error), answers('page')])()).toBe('from page')
    expect(context.notes).toEqual([{ route: 'page' }])
  })

  test.each([
    new NotFound(),
    new Private(),
    new Restricted(),
    new BadInput(),
    new RateLimited(),
    new SourceError('response-too-large'),
    new TryAgain(),
    new ExitUnreachable({ where: 'everywhere', reason: 'it refuses connections' }),
    new TypeError('a defect'),
  ])('of what was asked for is the answer: %s', async (error) => {
    const read = routes(newContext(), [refuses('api', error), answers('page')])
    expect(read()).rejects.toBe(error)
  })
})

describe('when no route answers', () => {
  test.each<[SourceError[], string, string]>([
    [[new SourceChanged('404')], 'source-changed', '404'],
    [[new SourceChanged('404'), new Unavailable('503')], 'source-unavailable', 'r0: 404; r1: 503'],
    [[new Unavailable('503'), new Blocked('no')], 'source-blocked', 'r0: 503; r1: no'],
    [[new Blocked('no'), new LoginNeeded('in')], 'source-login-required', 'r0: no; r1: in'],
  ])('the most telling refusal decides, with the words of all (%#)', async (errors, code, message) => {
    const all = errors.map((error, i) => refuses(`r${i}`, error))
    expect(await codeOf(routes(newContext(), all)())).toEqual([code, message])
  })

  test('a task may choose the error itself', async () => {
    const all = [refuses('a', new Blocked('1')), refuses('b', new SourceChanged('2'))]
    const end = (refusals: readonly SourceError[]) => refusals.at(-1)!
    expect(await codeOf(routes(newContext(), all, { end })())).toEqual(['source-changed', 'b: 2'])
  })
})

describe('later calls', () => {
  const failsSecond = (name: string) => {
    let calls = 0
    return {
      name,
      read: async () => {
        if (++calls > 1) throw new Blocked('once is enough')
        return `from ${name}`
      },
    }
  }
  test('stay with the route that answered, whose refusal then ends the run', async () => {
    const read = routes(newContext(), [failsSecond('api'), answers('page')])
    expect([await read(), await codeOf(read())]).toEqual(['from api', ['source-blocked', 'once is enough']])
  })

  test('go on to the following routes where positions mean the same to all', async () => {
    const context = newContext()
    const dead = refuses('old', new SourceChanged('404'))
    const read = routes(context, [dead, failsSecond('api'), answers('page')], { later: 'any' })
    expect([await read(), await read(), await read()]).toEqual(['from api', 'from page', 'from page'])
    expect(context.notes.at(-1)).toEqual({ route: 'page' })
  })
})

describe('a route that was refused while another one answered', () => {
  const calls: string[] = []
  const watched = (name: string, error?: Error, shared = true): Route<void, string> => ({
    name,
    shared,
    read: async () => {
      calls.push(name)
      if (error) throw error
      return name
    },
  })
  /** What a second run asks after a first one with the same memory, so many seconds later. */
  async function second(all: readonly Route<void, string>[], later: number): Promise<string[]> {
    let now = 0
    const memory = createMemory(() => now)
    await routes(newContext(memory), all)().catch(() => undefined)
    now = later * 1000
    calls.length = 0
    await routes(newContext(memory), all)().catch(() => undefined)
    return [...calls]
  }

  test.each<[string, readonly Route<void, string>[], number, string[]]>([
    ['is left out for ten minutes', [watched('a', new Blocked()), watched('b')], 599, ['b']],
    ['is tried again after that', [watched('a', new Blocked()), watched('b')], 600, ['a', 'b']],
    ['is tried again after a passing fault', [watched('a', new Unavailable()), watched('b')], 1, ['a', 'b']],
    [
      'is tried again if the refusal was the login’s',
      [watched('a', new Blocked(), false), watched('b')],
      1,
      ['a', 'b'],
    ],
    [
      'is tried again after one page that was not as expected',
      [watched('a', new SourceChanged()), watched('b')],
      1,
      ['a', 'b'],
    ],
    [
      'is tried again if no other one answered',
      [watched('a', new Blocked()), watched('b', new Blocked())],
      1,
      ['a', 'b'],
    ],
  ])('%s', async (_, all, later, expected) => {
    expect(await second(all, later)).toEqual(expected)
  })
})

test('a route is left out after two pages in a row that were not as expected', async () => {
  const memory = createMemory(() => 0)
  const calls: string[] = []
  const ends = ['changed', 'changed', 'fine', 'changed', 'fine', 'changed', 'changed', 'never'][
    Symbol.iterator
  ]()
  const a = {
    name: 'a',
    read: async () => {
      const end = ends.next().value ?? ''
      calls.push(end)
      if (end === 'changed') throw new SourceChanged('no list')
      return end
    },
  }
  const run = () => routes(newContext(memory), [a, answers('b')])()
  expect([await run(), await run(), await run()]).toEqual(['from b', 'from b', 'from b'])
  expect(calls).toEqual(['changed', 'changed'])
  memory.delete('route a is closed')
  for (let i = 0; i < 6; i++) await run()
  expect(calls).toEqual(['changed', 'changed', 'fine', 'changed', 'fine', 'changed', 'changed'])
})

test('a route may be tried after some refusals only', async () => {
  const page = { ...answers('page'), after: ['source-changed'] as const }
  expect(await routes(newContext(), [refuses('api', new SourceChanged('404')), page])()).toBe('from page')
  expect(await codeOf(routes(newContext(), [refuses('api', new Blocked('a captcha')), page])())).toEqual([
    'source-blocked',
    'a captcha',
  ])
})

test('a route that this run cannot use is left out', async () => {
  const all = [{ ...answers('login'), usable: false }, answers('page')]
  expect(await routes(newContext(), all)()).toBe('from page')
  expect(() => routes(newContext(), [{ ...answers('login'), usable: false }])).toThrow('no route is usable')
})

describe('rows', () => {
  const read = (row: number): number => {
    if (row < 0) throw new SourceChanged('a row has no id')
    return row * 2
  }
  test.each([
    [[1, 2, 3], [2, 4, 6], undefined],
    [[], [], undefined],
    [[1, -1, 2, 3, 4], [2, 4, 6, 8], 1],
  ])('%j are read to %j', (rows, items, skipped) => {
    const context = newContext()
    expect(readRows(context, rows, read)).toEqual(items)
    expect(context.notes).toEqual(skipped === undefined ? [] : [{ skipped }])
  })

  test.each([[[-1]], [[1, 2, 3, -1]], [[1, 2, 3, 4, 5, 6, 7, -1, -1]]])(
    '%j are a changed source: more than a fifth cannot be read',
    (rows) => {
      expect(() => readRows(newContext(), rows, read)).toThrow('rows cannot be read: a row has no id')
    },
  )

  test('are not read past another error', () => {
    const fails = () => {
      throw new Private('members only')
    }
    expect(() => readRows(newContext(), [1, 2, 3, 4, 5, 6], fails)).toThrow('members only')
  })
})

describe('the memory of a process', () => {
  test('keeps a value for its time, and no more than a thousand', () => {
    let now = 0
    const memory = createMemory(() => now)
    memory.set('a', 1, 60)
    now = 59_999
    expect(memory.get('a')).toBe(1)
    now = 60_000
    expect(memory.get('a')).toBeUndefined()
    for (let i = 0; i < 1001; i++) memory.set(`n${i}`, i, 60)
    expect([memory.get('n0'), memory.get('n1'), memory.get('n1000')]).toEqual([undefined, 1, 1000])
    memory.delete('n1')
    expect(memory.get('n1')).toBeUndefined()
  })

  test('makes a value once for all that ask, and again for those who waited when it fails', async () => {
    const memory = createMemory(() => 0)
    const first = Promise.withResolvers<{ value: string; seconds: number }>()
    let count = 0
    const one = memory.once('token', () => first.promise)
    const others = [1, 2].map(() =>
      memory.once('token', async () => ({ value: `token ${++count}`, seconds: 60 })),
    )
    first.reject(new Blocked('a captcha'))
    expect(await codeOf(one)).toEqual(['source-blocked', 'a captcha'])
    expect(await Promise.all(others)).toEqual(['token 1', 'token 1'])
  })
})
