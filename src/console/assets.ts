/**
 * The console's style and scripts, served as they are.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Problem } from '../http/problems.ts'

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const
const NAMES = ['console.css', 'console.js'] as const

const ASSETS = new Map(
  NAMES.map((name) => {
    const body = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
    const type = TYPES[name.endsWith('.css') ? 'css' : 'js']
    return [name as string, { body, type, tag: hash('sha256', body).slice(0, 12) }]
  }),
)

/** The path of an asset below `/console/assets/`: it changes with what the asset holds. */
export const assetPath = (name: (typeof NAMES)[number]): string => `${name}?v=${ASSETS.get(name)?.tag}`

/** @throws {Problem} 404 */
export function assetOf(name = ''): Response {
  const found = ASSETS.get(name)
  if (!found) throw new Problem('not-found')
  return new Response(found.body, {
    headers: { 'content-type': found.type, 'cache-control': 'public, max-age=31536000, immutable' },
  })
}
