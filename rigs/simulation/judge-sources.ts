/**
 * The invariants of sources: each change of a task's health is announced once, whoever announces it.
 *
 * @module
 */
import type { Written } from './judge.ts'

/** The violations, each as a sentence. */
export function judgeSources(log: readonly Written[]): string[] {
  const announced = new Map<string, string>()
  return log.flatMap(({ stream, type, data }) => {
    if (type !== 'TaskHealthChanged') return []
    const { task_key, from, to } = data
    const before = announced.get(task_key) ?? 'unknown'
    announced.set(task_key, to)
    const isChange = from === before && to !== 'unknown' && (to !== from || to === 'drifting')
    return isChange ? [] : [`${stream}: ${task_key} went from ${from} to ${to} but was ${before}`]
  })
}
