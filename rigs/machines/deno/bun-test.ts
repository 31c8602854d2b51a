/**
 * Replaces `bun:test` on Deno, as far as the contract suites use it, so that they run there unchanged.
 *
 * @module
 */
import { format } from 'node:util'

export { expect } from './expect.ts'

type Work = () => unknown
type Group = {
  readonly name: string
  readonly before: Work[]
  readonly after: Work[]
  readonly beforeAll: Work[]
  readonly afterAll: Work[]
  readonly members: (Group | Test)[]
}
type Test = { readonly name: string; readonly work: Work; readonly limitMs: number }

const group = (name: string): Group => ({
  name,
  before: [],
  after: [],
  beforeAll: [],
  afterAll: [],
  members: [],
})

const LIMIT_MS = 60_000
/** Factor on all limits: several files run at once here, beside all other tests. A limit only catches hanging tests. */
const SLACK = 4
let current = group('')

/** Loads a file, which declares its tests. Its hooks apply to these tests only. */
export async function declareFile(load: () => Promise<unknown>): Promise<void> {
  const outer = current
  current = group('')
  outer.members.push(current)
  await load()
  current = outer
}

/** Declares tests that belong together. */
export function describe(name: string, declare: Work): void {
  const outer = current
  const inner = group(name)
  outer.members.push(inner)
  current = inner
  declare()
  current = outer
}
describe.skipIf = (skip: boolean) => (skip ? skipped : describe)
/** One group for each row; a row that is a list is spread. */
describe.each =
  (rows: readonly unknown[]) =>
  (name: string, declare: (...row: never[]) => unknown): void => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row]
      describe(named(name, values), () => declare(...(values as never[])))
    }
  }

/** In milliseconds. */
type Limit = number | { readonly timeout?: number }

/** Declares a test. */
export function test(name: string, work: Work, limit?: Limit): void {
  const limitMs = SLACK * ((typeof limit === 'number' ? limit : limit?.timeout) ?? LIMIT_MS)
  current.members.push({ name, work, limitMs })
}
/** One test for each row; a row that is a list is spread. */
test.each =
  (rows: readonly unknown[]) =>
  (name: string, work: (...row: never[]) => unknown, limit?: Limit): void => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row]
      test(named(name, values), () => work(...(values as never[])), limit)
    }
  }
test.skipIf = (skip: boolean) => (skip ? skipped : test)

/** A name with its placeholders filled from the row. */
const named = (name: string, values: readonly unknown[]): string => {
  const placeholders = name.match(/%[a-z.\d]*[a-z]/g)?.length ?? 0
  return format(name.replace(/%p|%\.\d+s/g, '%s'), ...values.slice(0, placeholders))
}

let skips = 0
skipped.each = () => skipped
function skipped(): void {
  skips++
}

export const beforeEach = (work: Work): unknown => current.before.push(work)
export const afterEach = (work: Work): unknown => current.after.push(work)
export const beforeAll = (work: Work): unknown => current.beforeAll.push(work)
export const afterAll = (work: Work): unknown => current.afterAll.push(work)
/** Ignored: limits are long here, because the machine runs Bun's tests too. */
export const setDefaultTimeout = (): void => {}

export type Outcome = { readonly name: string; readonly error?: unknown }

/**
 * Runs the declared tests, one after the other.
 *
 * @param names matches the full names of the tests to run, including their groups
 * @param tell called after each test
 * @returns the number of skipped tests
 */
export async function runAll(names: RegExp, tell: (outcome: Outcome) => void): Promise<number> {
  await runGroup(wantedOf(current, '', names), [], tell)
  return skips
}

/** A group with only those of its tests whose names match. */
function wantedOf(of: Group, outer: string, names: RegExp): Group {
  const name = fullName(outer, of.name)
  const members = of.members.flatMap((member): (Group | Test)[] => {
    if ('members' in member) {
      const inner = wantedOf(member, name, names)
      return inner.members.length > 0 ? [inner] : []
    }
    return names.test(fullName(name, member.name)) ? [member] : []
  })
  return { ...of, members }
}

const fullName = (...parts: readonly string[]): string => parts.filter(Boolean).join(' > ')

async function runGroup(of: Group, outer: readonly Group[], tell: (outcome: Outcome) => void): Promise<void> {
  const groups = [...outer, of]
  for (const work of of.beforeAll) await work()
  for (const member of of.members) {
    if ('members' in member) await runGroup(member, groups, tell)
    else tell(await runTest(member, groups))
  }
  for (const work of of.afterAll) await work()
}

async function runTest(test: Test, groups: readonly Group[]): Promise<Outcome> {
  const name = fullName(...groups.map((each) => each.name), test.name)
  try {
    for (const { before } of groups) for (const work of before) await work()
    try {
      await inTime(test)
    } finally {
      for (const { after } of groups.toReversed()) for (const work of after) await work()
    }
    return { name }
  } catch (error) {
    return { name, error }
  }
}

async function inTime({ work, limitMs }: Test): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limitMs} ms`)), limitMs)
  })
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
