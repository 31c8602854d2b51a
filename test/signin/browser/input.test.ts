/**
 * Untrusted input: invalid input is refused with an error that only names the field, and keys act as in a window.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { CDPSession } from 'rebrowser-playwright'
import { until } from '../../../rigs/servers/processes.ts'
import { checkInput } from '../../../src/signin/browser/check.ts'
import { Inputs } from '../../../src/signin/browser/inputs.ts'
import { keyEventOf } from '../../../src/signin/browser/keys.ts'
import { signedInUntil } from '../../../src/signin/browser/success.ts'
import { type KeyInput, MOST_TEXT, type SignInInput } from '../../../src/signin/browser/types.ts'
import { VIEWPORT } from './person.ts'

const move = {
  type: 'pointer',
  action: 'move',
  pointerType: 'mouse',
  pointerId: 1,
  x: 1,
  y: 2,
  button: -1,
  buttons: 0,
  clicks: 0,
  modifiers: 0,
} as const
const wheel = { type: 'pointer', action: 'wheel', x: 1, y: 2, dx: 0, dy: 5, modifiers: 0 } as const
const key: KeyInput = {
  type: 'key',
  action: 'down',
  key: 'a',
  code: 'KeyA',
  location: 0,
  repeat: false,
  modifiers: 0,
}

describe('an input', () => {
  test.each([
    [move],
    [wheel],
    [key],
    [{ ...key, key: 'Enter' }],
    [{ type: 'text', text: 'x'.repeat(MOST_TEXT) }],
    [{ type: 'composition', text: 'ab', start: 1, end: 2 }],
    [{ type: 'resize', width: 200, height: 2000 }],
    [{ type: 'back' }],
    [{ type: 'reload' }],
  ])('%j is accepted, and unknown properties are dropped', (input) => {
    expect(checkInput({ ...input, more: 1 }, VIEWPORT)).toEqual(input as SignInInput)
  })

  test.each([
    [null],
    ['back'],
    [{ type: 'frobnicate' }],
    [{ ...move, x: -1 }],
    [{ ...move, y: Number.NaN }],
    [{ ...move, y: Number.POSITIVE_INFINITY }],
    [{ ...move, x: '1' }],
    [{ ...move, action: 'hover' }],
    [{ ...move, pointerType: 'pen' }],
    [{ ...move, button: 3 }],
    [{ ...move, buttons: 0.5 }],
    [{ ...move, clicks: 4 }],
    [{ ...move, modifiers: 16 }],
    [{ ...wheel, dy: 1e9 }],
    [{ ...key, key: 'F5' }],
    [{ ...key, key: 'constructor' }],
    [{ ...key, key: 'w', modifiers: 2 }],
    [{ ...key, key: 'constructor', modifiers: 2 }],
    [{ ...key, key: '\u0007' }],
    [{ ...key, key: 'ab' }],
    [{ ...key, code: 'a b' }],
    [{ ...key, repeat: 1 }],
    [{ type: 'text', text: 'x'.repeat(MOST_TEXT + 1) }],
    [{ type: 'text', text: '\ud800' }],
    [{ type: 'text', text: 7 }],
    [{ type: 'composition', text: 'ab', start: 2, end: 1 }],
    [{ type: 'resize', width: 10, height: 600 }],
  ])('%j is refused', (input) => {
    expect(() => checkInput(input, VIEWPORT)).toThrow(/^not understood: [a-zA-Z ]+$/)
  })

  test('outside of the viewport is moved to its edge, since the viewport may just have shrunk', () => {
    const { width, height } = VIEWPORT
    expect(checkInput({ ...move, x: width + 1, y: 9999 }, VIEWPORT)).toEqual({ ...move, x: width, y: height })
  })

  test('that is refused is not repeated in the error', () => {
    expect(() => checkInput({ type: 'text', text: `canary\ud800` }, VIEWPORT)).not.toThrow('canary')
  })
})

describe('a key', () => {
  const event = (input: Partial<KeyInput>) => keyEventOf({ ...key, ...input })

  test('with a character types it, whichever modifiers produced it', () => {
    expect(event({ key: 'a' })).toMatchObject({ type: 'keyDown', text: 'a', windowsVirtualKeyCode: 65 })
    // AltGr on Windows, Option on a Mac.
    expect(event({ key: '@', code: 'KeyQ', modifiers: 3 })).toMatchObject({ text: '@', modifiers: 0 })
    expect(event({ key: '@', code: 'KeyL', modifiers: 1 })).toMatchObject({ text: '@', modifiers: 0 })
    // 46 is the virtual key code of Delete.
    expect(event({ key: '.', code: 'Period' })).toMatchObject({ windowsVirtualKeyCode: 190 })
  })

  test('with Mac modifiers does what it does on a Mac', () => {
    expect(event({ modifiers: 4 })).toMatchObject({ type: 'rawKeyDown', commands: ['selectAll'] })
    expect(event({ key: 'Z', code: 'KeyZ', modifiers: 12 })).toMatchObject({ commands: ['redo'] })
    expect(event({ key: 'ArrowLeft', modifiers: 12 })).toMatchObject({ key: 'Home', modifiers: 8 })
    expect(event({ key: 'ArrowLeft', modifiers: 1 })).toMatchObject({ key: 'ArrowLeft', modifiers: 2 })
  })

  test('that is released types nothing', () => {
    for (const name of ['a', 'Enter', 'Tab']) {
      expect('text' in event({ key: name, action: 'up' })!).toBe(false)
      expect(event({ key: name, action: 'up' })?.type).toBe('keyUp')
    }
  })
})

describe('a flood', () => {
  /** A page that processes no input until `drain` is called. */
  function slowPage() {
    const commands: { readonly method: string; readonly params: Record<string, unknown> }[] = []
    const going = Promise.withResolvers<void>()
    const session = {
      send: (method: string, params: Record<string, unknown>) => {
        commands.push({ method, params })
        return going.promise
      },
    } as unknown as CDPSession
    const inputs = new Inputs({
      session,
      fineness: () => 1,
      act: async () => {},
      onIdle: () => {},
      onFailure: (error) => commands.push({ method: String(error), params: {} }),
    })
    const drain = (count: number) => {
      going.resolve()
      return until(() => commands.length >= count)
    }
    return { commands, inputs, drain }
  }

  test('of moves becomes one move and drops the oldest wheel events, but keeps all keys in order', async () => {
    const { commands, inputs, drain } = slowPage()
    inputs.add({ ...key, key: '0' })
    for (let x = 0; x < 5000; x++) inputs.add({ ...move, x: x % 800 })
    for (let n = 0; n < 300; n++) inputs.add(n % 3 ? { ...wheel, dy: n } : { ...key, key: String(n % 10) })
    for (let n = 0; n < 300; n++) inputs.add(n % 3 ? { ...wheel, dy: n } : { ...key, key: String(n % 10) })
    await drain(501)
    const keys = commands.filter(({ method }) => method === 'Input.dispatchKeyEvent')
    expect(keys.length).toBe(201)
    expect(keys.map(({ params }) => params.key).slice(1, 4)).toEqual(['0', '3', '6'])
    expect(commands.at(-1)?.params.deltaY).toBe(299)
  })

  test('of keys is refused when the queue is full, and queued keys are not lost', async () => {
    const { commands, inputs, drain } = slowPage()
    for (let n = 0; n <= 500; n++) inputs.add(key)
    expect(() => inputs.add(key)).toThrow('the page cannot keep up with the input')
    await drain(501)
    expect(commands.length).toBe(501)
    inputs.add(key)
    await drain(502)
  })
})

test('an input that the browser refuses does not hold up the queued ones', async () => {
  const commands: unknown[] = []
  const failures: unknown[] = []
  const session = {
    async send(method: string, { text }: { readonly text: string }) {
      commands.push(text)
      if (text === 'a') throw new Error(`Protocol error (${method}): Not attached to an active page`)
    },
  } as unknown as CDPSession
  const onFailure = (error: unknown) => failures.push(error)
  const inputs = new Inputs({ session, fineness: () => 1, act: async () => {}, onIdle: () => {}, onFailure })
  for (const text of ['a', 'b', 'c']) inputs.add({ type: 'text', text })
  await until(() => commands.length === 3)
  expect(commands).toEqual(['a', 'b', 'c'])
  expect(failures).toHaveLength(1)
})

describe('the cookies of a login', () => {
  const cookie = (name: string, domain: string, expires = -1, value = 'v') =>
    ({ name, domain, expires, value, path: '/', httpOnly: true, secure: true, sameSite: 'Lax' }) as const
  const login = { signedIn: { cookies: ['a', 'b@id.example'] } }
  const ends = (...cookies: ReturnType<typeof cookie>[]) =>
    signedInUntil(login, 'https://www.site.example', cookies, 1_000_000)

  test('must all be present for their hosts, with a value and not expired', () => {
    const [a, b] = [cookie('a', 'www.site.example'), cookie('b', 'id.example')]
    expect(ends(a, b)).toBeNull()
    expect(ends(a)).toBeUndefined()
    expect(ends(a, cookie('b', 'www.site.example'))).toBeUndefined()
    expect(ends(a, cookie('b', 'id.example', -1, ''))).toBeUndefined()
    expect(ends(a, cookie('b', 'id.example', 999))).toBeUndefined()
    expect(ends(cookie('a', '.site.example'), b)).toBeNull()
    expect(ends(cookie('a', '.evilsite.example'), b)).toBeUndefined()
    expect(ends(cookie('a', 'sub.www.site.example'), b)).toBeUndefined()
  })

  test('end the login when the first of them expires', () => {
    expect(ends(cookie('a', '.site.example', 5000), cookie('b', 'id.example', 4000.5))).toBe(4_000_500)
    expect(ends(cookie('a', '.site.example', 5000), cookie('b', 'id.example'))).toBe(5_000_000)
  })
})
