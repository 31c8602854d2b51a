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

/**
 * The User-Agent of the service's own requests: `Gleaner/1.2.3 (+https://gleaner.example.org) Bun/1.4.5`.
 *
 * @param contact a URL or an e-mail address of the operator; null: none is named
 */
export function userAgentOf({ contact }: { readonly contact: string | null }): string {
  const named = contact === null ? '' : ` (${contact.includes('@') ? '' : '+'}${contact})`
  return `Gleaner/${versionOf()}${named} ${runtimeOf().replace(' ', '/')}`
}

/** The runtime and its version: `Bun 1.4.5`. */
export function runtimeOf(): string {
  const { bun, deno, node } = process.versions
  if (bun) return `Bun ${bun}`
  return deno ? `Deno ${deno}` : `Node ${node}`
}
