/**
 * The search engine, on models that are small enough to be counted by hand.
 */
import { expect, test } from 'bun:test'
import type { Fold } from '../../src/domain/decider.ts'
import type { DomainEvent, Metadata } from '../../src/domain/events.ts'
import { type Model, type Step, search } from './engine.ts'
import { Stream } from './stream.ts'

type Counters = { readonly a: number; readonly b: number }
const MOST = 3

/** Two actors that each count to three. */
const counting = (changes: Partial<Model<Counters>> = {}): Model<Counters> => ({
  initial: { a: 0, b: 0 },
  steps: ({ a, b }) => [
    ...(a < MOST ? [{ name: 'a', state: { a: a + 1, b } }] : []),
    ...(b < MOST ? [{ name: 'b', state: { a, b: b + 1 } }] : []),
  ],
  wrong: () => undefined,
  isSettled: ({ a, b }) => a === MOST && b === MOST,
  wrongAtEnd: () => undefined,
  ...changes,
})

test('the search visits every state of all interleavings once', () => {
  const expected = { states: 16, steps: 24, depth: 6, settled: 1, ends: ['3 and 3'] }
  expect(search(counting({ ends: ({ a, b }) => [`${a} and ${b}`] }))).toEqual(expected)
})

test('the trace to a wrong state is one of the shortest traces', () => {
  const { violation } = search(counting({ wrong: ({ a, b }) => (a === 2 && b >= 1 ? 'wrong' : undefined) }))
  expect(violation?.what).toBe('wrong')
  expect(violation?.trace).toHaveLength(3)
})

test('a wrong first state is found with an empty trace', () => {
  expect(search(counting({ wrong: () => 'wrong' })).violation).toEqual({ what: 'wrong', trace: [] })
})

test('a wrong settled state is found', () => {
  const { violation } = search(counting({ wrongAtEnd: () => 'the books do not balance' }))
  expect(violation?.what).toBe('the books do not balance')
  expect(violation?.trace).toHaveLength(2 * MOST)
})

const stops = (isChance: boolean): Model<Counters> => {
  const steps = ({ a, b }: Counters): Step<Counters>[] => {
    if (a < 0) return []
    const stop = { name: 'stops', state: { a: -1, b } }
    const leaves = { name: 'goes on', state: { a: MOST, b: MOST }, isChance }
    return a === MOST ? [] : [stop, leaves]
  }
  return counting({ steps })
}

test('a state from which the work can never be done is found', () => {
  expect(search(stops(false)).violation?.trace).toEqual(['stops'])
})

test('optional steps do not count as work', () => {
  expect(search(stops(true)).violation).toEqual({ what: 'from here on the work is never done', trace: [] })
})

test('the search ends despite a cycle of states', () => {
  const circle = counting({
    steps: ({ a, b }) => [{ name: 'a', state: { a: (a + 1) % 4, b } }],
    isSettled: () => true,
  })
  expect(search(circle).states).toBe(4)
})

test('bounds that are too wide throw an error', () => {
  expect(() => search(counting(), 15)).toThrow('more than 15 states')
})

const event: DomainEvent = { type: 'PersonErased', data: { person_id: 'p' as never } }
const other: DomainEvent = { type: 'SessionsRevoked', data: { person_id: 'p' as never } }
const meta: Metadata = {
  $correlationId: '',
  $causationId: '',
  account_id: '',
  actor: 'service',
  at: '2026-01-01T00:00:00.000Z',
  v: '1',
}
const written = (what: DomainEvent) => ({ by: '', event: what, meta })
const types: Fold<readonly string[]> = { initial: [], evolve: (state, { type }) => [...state, type] }

test('a stream accepts a batch at its end only, and is the same object for the same events', () => {
  const empty = Stream.empty(types)
  const one = empty.append(-1, [written(event)])
  expect(one?.state).toEqual(['PersonErased'])
  expect(empty.append(-1, [written(event)])).toBe(one!)
  expect(one?.append(-1, [written(event)])).toBeUndefined()
  expect(one?.append('any', [written(event)])?.revision).toBe(1)
  expect(one?.append(0, [written(other)])).not.toBe(one?.append(0, [written(event)]))
})

test('a stream recognises its earlier states', () => {
  const one = Stream.empty(types).append(-1, [written(event)])!
  const two = one.append(0, [written(other)])!
  expect(two.extends(one)).toBe(true)
  expect(two.extends(one.append(0, [written(event)])!)).toBe(false)
  expect(two.after(0).map((each) => each.event.type)).toEqual(['SessionsRevoked'])
})
