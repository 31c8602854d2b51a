import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import {
  type AccountId,
  accountStream,
  addressStream,
  CATEGORIES,
  categoryOf,
  derivedAccountId,
  derivedKeyId,
  derivedRunId,
  idOf,
  keyStream,
  loginStream,
  newAccountId,
  newPersonId,
  newRunId,
  newWebhookId,
  parseAccountId,
  parseKeyId,
  parseRunId,
  personStream,
  runStream,
  sourceStream,
  timeOrdered,
  webhookStream,
} from '../../src/domain/ids.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })

describe('time-ordered ids', () => {
  test('sort as text by their time, then by their random bytes', () => {
    fc.assert(
      fc.property(time, time, bytes(10), bytes(10), (a, b, x, y) => {
        const order = Math.sign(a - b) || Math.sign(Buffer.compare(x, y))
        const [left, right] = [timeOrdered(a, x), timeOrdered(b, y)]
        expect(left < right ? -1 : left > right ? 1 : 0).toBe(order)
      }),
    )
  })
  test('keep every bit: another time or other random bytes give another id', () => {
    const ids = new Set<string>()
    const random = new Uint8Array(10)
    for (let bit = 0; bit < 48; bit++) ids.add(timeOrdered(2 ** bit, random))
    for (let bit = 0; bit < 80; bit++) {
      const other = new Uint8Array(10)
      other[bit >> 3] = 1 << (bit & 7)
      ids.add(timeOrdered(0, other))
    }
    expect(ids.size).toBe(128)
  })
})

describe('derived ids', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  test('are equal for equal hashes and differ for different ones', () => {
    expect(derivedRunId(hash('a'))).toBe(derivedRunId(hash('a')))
    expect(new Set(Array.from({ length: 1000 }, (_, i) => derivedRunId(hash(`${i}`)))).size).toBe(1000)
  })
  test('derived ids keep the first 128 bits of the hash', () => {
    fc.assert(
      fc.property(bytes(16), bytes(16), (a, b) => {
        expect(derivedRunId(a) === derivedRunId(b)).toBe(Buffer.compare(a, b) === 0)
      }),
    )
  })
})

describe('parsing', () => {
  const newIds = () => {
    const random = randomBytes(16)
    return {
      run: [newRunId(Date.now(), random), derivedRunId(random)],
      key: [derivedKeyId(random)],
      acc: [newAccountId(Date.now(), random), derivedAccountId(random)],
    }
  }
  const PARSERS = { run: parseRunId, key: parseKeyId, acc: parseAccountId }
  test('accepts generated ids, and no id of another kind', () => {
    for (let i = 0; i < 100; i++) {
      for (const [kind, ids] of Object.entries(newIds())) {
        for (const [name, parse] of Object.entries(PARSERS)) {
          for (const id of ids) expect(parse(id)).toBe(name === kind ? (id as never) : undefined)
        }
      }
    }
  })
  test('rejects any other text', () => {
    const id = newRunId(0, randomBytes(10))
    const wrong = [
      '',
      'run_',
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      ` ${id}`,
      `${id}\n`,
      `${id.slice(0, -1)}\n`,
      `${id.slice(0, -1)}u`,
      `${id.slice(0, -1)}-`,
      `${id.slice(0, -1)}/`,
      id.slice(4),
      `run-${id.slice(4)}`,
      'run_../../../../../../../../../a',
    ]
    for (const text of wrong) expect(parseRunId(text)).toBeUndefined()
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseRunId(text)).toBeUndefined()
        const parsed = parseRunId(`run_${text}`)
        expect(parsed === undefined || /^run_[0-9a-z]{26}$/.test(parsed)).toBe(true)
      }),
    )
  })
})

test('a stream name is its category, a hyphen and the id, and is unique', () => {
  const random = randomBytes(16)
  const account = derivedAccountId(random)
  const streams = {
    run: [runStream(derivedRunId(random)), derivedRunId(random)],
    key: [keyStream(derivedKeyId(random)), derivedKeyId(random)],
    account: [accountStream(account), account],
    person: [personStream(newPersonId(1, random)), newPersonId(1, random)],
    address: [addressStream('ab12'), 'ab12'],
    source: [sourceStream('video'), 'video'],
    webhook: [webhookStream(newWebhookId(1, random)), newWebhookId(1, random)],
    login: [loginStream(account, 'video-alt'), `${account}.video-alt`],
  } as const
  expect(Object.keys(streams).sort()).toEqual([...CATEGORIES].sort())
  for (const [category, [stream, id]] of Object.entries(streams)) {
    expect(categoryOf(stream)).toBe(category)
    expect(idOf(stream)).toBe(id)
  }
  expect(new Set(Object.values(streams).map(([stream]) => stream)).size).toBe(CATEGORIES.length)
  expect(loginStream('acc_1' as AccountId, 'a')).not.toBe(loginStream('acc_1' as AccountId, 'b'))
})
