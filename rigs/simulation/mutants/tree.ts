/**
 * A copy of the project with a bug planted in it.
 *
 * @module
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutant } from './list.ts'

export const ROOT = join(import.meta.dirname, '..', '..', '..')

/** The files that the simulation needs. */
const PARTS = ['src', 'projections', 'rigs/simulation', 'rigs/support', 'package.json', 'tsconfig.json']

/** The text of the file with the bug. @throws {Error} unless the place occurs exactly once */
export function planted({ name, file, from, to }: Mutant): string {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`"${name}": its place occurs ${parts.length - 1} times in ${file}`)
  return parts.join(to)
}

/** Creates a copy. @param mutant undefined: no bug @returns its folder, and a function that removes it */
export function plant(mutant: Mutant | undefined): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-mutant-'))
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  if (mutant) writeFileSync(join(folder, mutant.file), planted(mutant))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
