import { describe, expect, test } from 'bun:test'
import { readRooms, roomOf } from './rooms.ts'
import { type Import, importsOf, sourcesIn, targetOf } from './sources.ts'

const imports = sourcesIn('src', 'projections', 'plugins', 'tools').flatMap(importsOf)
/** The imports that run when a file is loaded: type and dynamic imports can't deadlock. */
const loading = imports.filter(
  ({ specifier, typeOnly, lazy }) => specifier.startsWith('.') && !typeOnly && !lazy,
)

type Graph = Map<string, Set<string>>

function graphOf(lines: readonly Import[], nodeOf: (path: string) => string): Graph {
  const graph: Graph = new Map()
  for (const line of lines) {
    const [from, to] = [nodeOf(line.of), nodeOf(targetOf(line))]
    if (from === to) continue
    graph.set(from, (graph.get(from) ?? new Set()).add(to))
  }
  return graph
}

/** The cycles found by a walk through the graph, each as its path. */
function circlesIn(graph: Graph): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const walk = (node: string, way: readonly string[]) => {
    const at = way.indexOf(node)
    if (at >= 0) circles.push([...way.slice(at), node].join(' -> '))
    if (at >= 0 || done.has(node)) return
    for (const next of graph.get(node) ?? []) walk(next, [...way, node])
    done.add(node)
  }
  for (const node of graph.keys()) walk(node, [])
  return circles
}

describe('imports have no cycle', () => {
  test('between files', () => {
    expect(circlesIn(graphOf(loading, (path) => path))).toEqual([])
  })

  test('between rooms', () => {
    const rooms = readRooms()
    const nodeOf = (path: string) => {
      const [name = path] = roomOf(rooms, path)?.paths ?? []
      return name
    }
    expect(circlesIn(graphOf(loading, nodeOf))).toEqual([])
  })

  test('a cycle would be found and printed as its path', () => {
    const line = (of: string, specifier: string) => ({ of, specifier, typeOnly: false, lazy: false })
    const lines = [
      line('a.ts', './b.ts'),
      line('b.ts', './c.ts'),
      line('c.ts', './b.ts'),
      line('a.ts', './c.ts'),
    ]
    expect(circlesIn(graphOf(lines, (path) => path))).toEqual(['b.ts -> c.ts -> b.ts'])
  })
})
