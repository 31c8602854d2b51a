/**
 * What a plugin may not claim: names, keys and paths of other plugins, and the service's own paths.
 *
 * @module
 */
import type { Source } from '../plugin.ts'
import type { CatalogueTask } from './catalogue.ts'

/** What follows `/v1/` in the service's own routes. */
const OWN = new Set(['account', 'events', 'logins', 'runs', 'tasks'])

/** Why a source can't stand beside the tasks loaded before it; undefined when it can. */
export function conflictWith(source: Source, tasks: readonly CatalogueTask[]): string | undefined {
  if (tasks.some((task) => task.source.name === source.name))
    return `another plugin already has the source name "${source.name}"`
  const keys = new Set(tasks.map((task) => task.key))
  const owners = new Map(tasks.flatMap((task) => task.paths.map((path) => [shapeOf(path), task.key])))
  for (const { key, path, aliases = [] } of source.tasks) {
    if (keys.has(key)) return `the task key "${key}" is already used`
    for (const at of [path, ...aliases]) {
      if (OWN.has(at.split('/')[2] ?? '')) return `the path "${at}" of ${key} is reserved for the service`
      const owner = owners.get(shapeOf(at))
      if (owner) return `the path "${at}" of ${key} is already used by ${owner}`
      owners.set(shapeOf(at), key)
    }
  }
  return undefined
}

/** Paths that differ only in the names of their parameters are the same route. */
const shapeOf = (path: string): string => path.replace(/:[^/]+/g, ':')
