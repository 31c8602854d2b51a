import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAULT_KINDS } from './faults.ts'
import { ELSEWHERE, POINTS } from './points.ts'
import { ranges } from './processes.ts'
import { join as joinReports } from './report.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SEEDS = 300
/** Each of two processes runs half of the seeds, and the second one also the last seeds of the first. */
const HALF = SEEDS / 2
const TWICE = 3
const ON_DENO = 12

const DENO = [
  'npx',
  'deno',
  'run',
  '-A',
  '--import-map',
  join(ROOT, 'rigs', 'machines', 'deno', 'imports.json'),
]

test(`${SEEDS} schedules with faults violate no invariant, and a repeated seed gives the same run, on Bun and on Deno`, async () => {
  const [first, second, deno] = await Promise.all([
    ranges(1, HALF, 1),
    ranges(HALF + 1 - TWICE, HALF + TWICE, 1),
    ranges(1, ON_DENO, 1, undefined, DENO),
  ])
  expect([first, second, deno].flatMap(({ wrong }) => wrong)).toEqual([])
  expect(deno.hashes).toEqual(first.hashes.slice(0, ON_DENO))
  // One process runs them after many others, and one runs them first.
  expect(second.hashes.slice(0, TWICE)).toEqual(first.hashes.slice(-TWICE))
  expect(new Set([...first.hashes, ...second.hashes]).size).toBe(SEEDS)
  const { counts } = joinReports(first, second)
  expect(FAULT_KINDS.filter((kind) => !counts[kind])).toEqual([])
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

  test('name only writes after which the simulation kills a process, or that it lists as tested elsewhere', () => {
    expect(tables).toHaveLength(5)
    const names = new Set([...POINTS, ...ELSEWHERE])
    expect([...named].filter((name) => !names.has(name))).toEqual([])
  })
})
