/**
 * The source of docs/plugins.md, and a mock site for it.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import type { Exchange } from '../../src/plugin/testing.ts'

/** The complete files in the guide, by path. */
export function guideFiles(): { readonly path: string; readonly code: string }[] {
  const guide = readFileSync(new URL('../../docs/plugins.md', import.meta.url), 'utf8')
  return [...guide.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, path, code]) => ({
    path: path!,
    code: code!,
  }))
}

const lamp = (id: number) => ({
  id,
  name: `Lamp ${id}`,
  price: { amount: `${id}.50`, currency: 'GBP' },
  html: id === 5 ? '' : '<p>Bright &amp; bendable</p>',
})

/** The answers of the guide's shop: five lamps on two pages. */
export const LAMPS: readonly Exchange[] = [
  { request: '/api/search', json: { total: 5, lamps: [1, 2, 3].map(lamp), next_page: 2 } },
  { request: '/api/search?page=2', json: { total: 5, lamps: [4, 5].map(lamp), next_page: null } },
]
