/**
 * The table of rooms in docs/architecture.md: which room may import which.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './sources.ts'

/** A room: folders or files, and the rooms that it may import. */
export type Room = {
  readonly paths: readonly string[]
  /** paths of rooms; `everything` when the table says "all" */
  readonly imports: ReadonlySet<string> | 'everything'
  /** rooms of which only types may be imported */
  readonly types: ReadonlySet<string>
}

/** Reads the table. A cell of "may import" names rooms without `src/`, "types of" rooms, "itself", "all" or "–". */
export function readRooms(): Room[] {
  const text = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8')
  const section = /^## Rooms\n([\s\S]*?)\n## /m.exec(text)?.[1] ?? ''
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.map(([, room = '', , may = '']) => ({
    paths: [...room.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace(/\/(<[^>]*>)?$/, '')),
    ...rulesOf(may),
  }))
}

function rulesOf(may: string): Omit<Room, 'paths'> {
  if (/^all\b/.test(may)) return { imports: 'everything', types: new Set() }
  const imports = new Set<string>()
  const types = new Set<string>()
  for (const part of may.split(',').map((name) => name.trim())) {
    if (part === '–' || part === 'itself') continue
    const set = part.startsWith('types of ') ? types : imports
    set.add(part.replace(/^types of /, '').replace(/^`(.*)`$/, '$1'))
  }
  return { imports, types }
}

/** The room of a file: the one with the longest path that is a prefix of the file's path. */
export function roomOf(rooms: readonly Room[], file: string): Room | undefined {
  let best: { room: Room; length: number } | undefined
  for (const room of rooms) {
    for (const path of room.paths) {
      if ((file === path || file.startsWith(`${path}/`)) && path.length > (best?.length ?? 0)) {
        best = { room, length: path.length }
      }
    }
  }
  return best?.room
}

/** Whether a name in the column "may import" means this room: its path, or its path without `src/`. */
export const names = (set: ReadonlySet<string>, room: Room): boolean =>
  room.paths.some((path) => set.has(path) || set.has(path.replace(/^src\//, '').replace(/\.ts$/, '')))
