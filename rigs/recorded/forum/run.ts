/**
 * Runs recorded cases by name.
 *
 * @module
 */
import { runTask } from 'gleaner/plugin/testing'
import { exchangesOf } from '../recordings.ts'
import { cases } from './cases.ts'

/** Runs a case. @param name its name, or the names of its files */
export function runCase(name: string) {
  const one = cases.cases.find((each) => (each.name ?? each.files.join(', ')) === name)
  if (!one) throw new TypeError(`no case ${name}`)
  const { task, input, signedIn = false } = one
  return runTask(task, input, {
    source: cases.source,
    exchanges: exchangesOf(cases.recordings, one),
    signedIn,
  })
}

/** The item of a case with this id. */
export const itemOf = async (name: string, id: string) =>
  (await runCase(name)).items.find((item) => item.id === id)
