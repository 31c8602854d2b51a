import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAULT_KINDS } from './faults.ts'
import { ELSEWHERE, POINTS } from './points.ts'
import { ranges } from './processes.ts'
import { simulate } from './schedule.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SEEDS = 300

const DENO = ['npx', 'deno', 'run', '-A', '--import-map', join(ROOT, 'test', 'deno', 'imports.json')]

test(`in ${SEEDS} schedules nothing is lost, nothing is charged twice, nobody sees what is another's, and all of it ends`, async () => {
  const { seeds, hashes, counts, wrong } = await ranges(1, SEEDS, 2)
  expect(wrong).toEqual([])
  expect(seeds).toBe(SEEDS)
  expect(new Set(hashes).size).toBe(SEEDS)
  expect(FAULT_KINDS.filter((kind) => !counts[kind])).toEqual([])
}, 600_000)

test('the same seed is the same run, twice, on Bun and on Deno', async () => {
  const [bun, deno] = await Promise.all([ranges(9001, 12, 1), ranges(9001, 12, 1, undefined, DENO)])
  expect(deno.hashes).toEqual(bun.hashes)
  const again = []
  for (let seed = 9001; seed < 9004; seed++) again.push((await simulate(seed)).hash)
  expect(again).toEqual(bun.hashes.slice(0, 3))
}, 600_000)

describe('the tables of what holds after a crash', () => {
  const tables = ['docs/architecture.md', 'docs/internals.md'].flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return text.split(/^## /m).filter((part) => /holds after a crash/.test(part.split('\n')[0] ?? ''))
  })
  const named = new Set(
    tables
      .flatMap((table) => table.match(/`[A-Z][a-z]+[A-Z][A-Za-z]+`/g) ?? [])
      .map((name) => name.replaceAll('`', '')),
  )

  test('name no write after which the simulation does not kill, but for those that it says are elsewhere', () => {
    expect(tables).toHaveLength(4)
    const known = new Set([...POINTS, ...ELSEWHERE])
    expect([...named].filter((name) => !known.has(name))).toEqual([])
  })
})
