/**
 * `gleaner version`.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import { type Command, OK } from './command.ts'

/** The version of this program, as package.json says. */
export function versionOf(): string {
  const path = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

/** How requests to sources name themselves. */
export const userAgentOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  `Gleaner/${versionOf()} (+${publicUrl})`

/** What runs it: `Bun 1.4.5`. */
export function runtimeOf(versions: Readonly<Record<string, string | undefined>> = process.versions): string {
  if (versions.bun) return `Bun ${versions.bun}`
  if (versions.deno) return `Deno ${versions.deno}`
  return `Node ${versions.node}`
}

export const version: Command = {
  name: 'version',
  about: 'Shows the version of Gleaner and of what runs it.',
  operands: '',
  count: [0, 0],
  options: {},
  async run({ io }) {
    io.out(`gleaner ${versionOf()} (${runtimeOf()}, ${process.platform} ${process.arch})\n`)
    return OK
  },
}
