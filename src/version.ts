/**
 * The version of this program, and the runtime that it runs on.
 *
 * @module
 */
import { readFileSync } from 'node:fs'

/** The version in package.json. */
export function versionOf(): string {
  const path = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

/** The User-Agent of requests to sources. */
export const userAgentOf = ({ publicUrl }: { readonly publicUrl: string }): string =>
  `Gleaner/${versionOf()} (+${publicUrl})`

/** The runtime and its version: `Bun 1.4.5`. */
export function runtimeOf(): string {
  const { bun, deno, node } = process.versions
  if (bun) return `Bun ${bun}`
  return deno ? `Deno ${deno}` : `Node ${node}`
}
