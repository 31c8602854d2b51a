/**
 * The backlog of a page's unread responses: all accounts share the process that holds it, so a page must not grow it.
 *
 * @module
 */
import { expect, test } from 'bun:test'
import { Listener } from '../../src/browser/page/answers.ts'
import { SourceError } from '../../src/plugin/errors.ts'

const MIB = 1024 * 1024
const url = 'https://site.example/api'
const arrived = ({ at = url, header = '', body = new Uint8Array() } = {}) => ({
  status: 200,
  url: at,
  headers: new Headers({ 'x-a': header }),
  body,
})
const listen = () => new Listener(/./, new AbortController())
const isTooLarge = (value: unknown) => value instanceof SourceError && value.code === 'response-too-large'

/** All buffered responses, and the error that follows them, if any. */
async function allOf(listener: Listener) {
  const answers = []
  for (;;) {
    const next = await listener.take(0).catch((error: unknown) => ({ error }))
    if (next === null || 'error' in next) return { answers, error: next?.error }
    answers.push(next)
  }
}

test('a backlog of small responses ends at 10,000 with an error for the reader, and the listener goes on', async () => {
  const listener = listen()
  for (let n = 0; n < 10_050; n++) listener.add(arrived())
  const { answers, error } = await allOf(listener)
  expect([answers.length, isTooLarge(error)]).toEqual([10_000, true])
  listener.add(arrived())
  expect(await allOf(listener)).toMatchObject({ answers: [{ status: 200 }], error: undefined })
})

test.each([
  ['headers', { header: 'a'.repeat(MIB) }],
  ['bodies', { body: new Uint8Array(MIB) }],
])(
  'a backlog of large %s keeps less than 64 MiB of them, and says which responses it cut',
  async (_, large) => {
    const listener = listen()
    for (let n = 0; n < 100; n++) listener.add(arrived(large))
    const { answers, error } = await allOf(listener)
    expect([answers.length, error]).toEqual([100, undefined])
    const whole = answers.filter(({ body }) => !isTooLarge(body))
    expect(whole).toHaveLength(63)
    expect(answers.slice(63).every(({ headers }) => headers.get('x-a') === null)).toBe(true)
  },
)

test('a backlog of long addresses keeps at most 64 MiB of them, and the reader gets an error after them', async () => {
  const listener = listen()
  for (let n = 0; n < 100; n++) listener.add(arrived({ at: `${url}?${'a'.repeat(MIB)}` }))
  const { answers, error } = await allOf(listener)
  expect([answers.length, isTooLarge(error)]).toEqual([63, true])
})

test('a backlog that was read has room for as much again', async () => {
  const listener = listen()
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 60; n++) listener.add(arrived({ header: 'a'.repeat(MIB) }))
    const { answers } = await allOf(listener)
    expect(answers.filter(({ body }) => !isTooLarge(body))).toHaveLength(60)
  }
})
