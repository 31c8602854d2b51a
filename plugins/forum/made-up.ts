/**
 * Made-up answers for the tests of this folder.
 *
 * @module
 */
import type { Static, TSchema } from 'gleaner/plugin'
import { type Exchange, type Outcome, readCassette, runTask } from 'gleaner/plugin/testing'
import source from './source.ts'

type Fields = Readonly<Record<string, unknown>>

/** A task of the source by its key. */
export function taskOf(key: string) {
  const task = source.tasks.find((one) => one.key === key)
  if (!task) throw new TypeError(`no task ${key}`)
  return task
}

/** Runs a task on some answers. */
export const run = (key: string, input: Fields, exchanges: readonly Exchange[]) =>
  runTask(taskOf(key), input, { source, exchanges })

/** Runs a cassette of this folder, by its name. */
export function replay(name: string) {
  const { task, input, exchanges } = readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))
  return run(task, input, exchanges)
}

/** The query of each request that was made. */
export const asked = ({ requests }: Outcome<Static<TSchema>, unknown>): Fields[] =>
  requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams))

/** The address of each request, without its query. */
export const addresses = ({ requests }: Outcome<Static<TSchema>, unknown>): string[] =>
  requests.map(({ url }) => url.replace(/\?.*$/, ''))

/** The fullnames of what came out. */
export const names = ({ items }: Outcome<Static<TSchema>, unknown>): string[] =>
  (items as { fullname: string }[]).map(({ fullname }) => fullname)

/** A post as listings have it: `t3_p<n>`. */
export const post = (n: number, fields: Fields = {}) => ({
  kind: 't3',
  data: { id: `p${n}`, name: `t3_p${n}`, title: `Post ${n}`, author: 'ann', subreddit: 'lamps', ...fields },
})

/** A comment as listings have it: `t1_c<n>`. */
export const comment = (n: number, fields: Fields = {}) => ({
  kind: 't1',
  data: { id: `c${n}`, name: `t1_c${n}`, author: 'ann', body: `Comment ${n}`, ...fields },
})

/** Posts from one number to another. */
export const posts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => post(from + i))

/** A listing as JSON. */
export const listing = (
  children: readonly unknown[],
  after: string | null = null,
  before: string | null = null,
) => ({
  kind: 'Listing',
  data: { after, before, children },
})
