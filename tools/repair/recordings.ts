/**
 * The old recordings of a task, and what they give.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { type Cassette, readCassette } from '../../src/plugin/testing.ts'
import { cassettesBelow, urlOf } from '../../src/recording/files.ts'
import { type Item, type Replayed, replayed, sha256, timeOf } from './replay.ts'

/** What a recording gives, with its content's hash: a repair may not change it. */
export type Kept = Pick<Replayed, 'items' | 'rest' | 'files' | 'code'> & {
  /** relative to the plugin's folder, with slashes */
  readonly file: string
  readonly sha256: string
  /** the time of the run, in milliseconds since 1970 */
  readonly at: number
}

/** A recording of the task with what it gives. */
export type KeptRecording = { readonly kept: Kept; readonly cassette: Cassette }

export type Recordings = {
  readonly kept: readonly KeptRecording[]
  /** recordings that the parser cannot read today, with the reason */
  readonly leftOut: readonly { readonly file: string; readonly reason: string }[]
}

/** Ends that say something about the parser and not about the source: such a recording has nothing to keep. */
const BROKEN: ReadonlySet<string | null> = new Set([
  'source-changed',
  'output-invalid',
  'defect',
  'bad-input',
  'no-answer',
])

/**
 * Whether "captures save" wrote a recording. It may show the fault, so it says nothing about what is usual, and it has no
 * answers after those that broke the run.
 */
export const isCaptured = (file: string): boolean => file.startsWith('fixtures/captured/')

/** Runs the task on all recordings below `fixtures` in the plugin's folder. */
export async function recordingsOf(task: CatalogueTask, now: number): Promise<Recordings> {
  const kept: KeptRecording[] = []
  const leftOut: { file: string; reason: string }[] = []
  for (const { file, cassette } of cassettesBelow(task)) {
    const at = timeOf(cassette, now)
    const { items, rest, files, code, detail } = await replayed(task, cassette, at, {
      incomplete: isCaptured(file),
    })
    // A capture that was saved has a test of its own, which fails until the parser reads it.
    if (BROKEN.has(code) && isCaptured(file)) continue
    if (BROKEN.has(code)) leftOut.push({ file, reason: `${code}: ${detail}` })
    else kept.push({ kept: { file, sha256: hashOf(task, file), at, code, items, rest, files }, cassette })
  }
  return { kept, leftOut }
}

const hashOf = (task: CatalogueTask, file: string): string => sha256(readFileSync(urlOf(task, file)))

/**
 * Runs the task on a recording again.
 *
 * @returns what is no longer as it was, in words; null when it gives what it gave before
 */
export async function changeOf(task: CatalogueTask, kept: Kept): Promise<string | null> {
  if (!existsSync(urlOf(task, kept.file))) return 'the file is gone: restore it'
  if (hashOf(task, kept.file) !== kept.sha256) return 'the file was changed: restore it'
  const now = await replayed(task, readCassette(urlOf(task, kept.file)), kept.at, {
    incomplete: isCaptured(kept.file),
  })
  if (now.code !== kept.code) return now.code === null ? 'succeeds now' : `${now.code}: ${now.detail}`
  return differenceOf(
    { ...kept.rest, items: kept.items, files: kept.files },
    { ...now.rest, items: now.items, files: now.files },
  )
}

/** The first difference of two JSON values with its path; null when they are equal. */
export function differenceOf(was: unknown, now: unknown, path = ''): string | null {
  if (isObject(was) && isObject(now) && Array.isArray(was) === Array.isArray(now)) {
    if (Array.isArray(was) && was.length !== (now as unknown as unknown[]).length)
      return `${was.length} ${path || 'entries'}, now ${(now as unknown as unknown[]).length}`
    for (const name of new Set([...Object.keys(was), ...Object.keys(now)])) {
      const at = Array.isArray(was) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
      const difference = differenceOf(was[name], now[name], at)
      if (difference !== null) return difference
    }
    return null
  }
  return was === now ? null : `${path}: ${short(was)}, now ${short(now)}`
}

const isObject = (value: unknown): value is Item => typeof value === 'object' && value !== null

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text
}
