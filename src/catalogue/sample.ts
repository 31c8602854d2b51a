/**
 * Sample results of tasks: what a run of the plugin's own recording returns, from `samples.json` beside its `source.ts`.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import type { CatalogueTask } from './catalogue.ts'
import { isValid } from './check.ts'
import { exampleResultOf } from './example.ts'
import { resultSchema } from './result.ts'

/** Results by task key. */
type Samples = Readonly<Record<string, object>>

const read = new Map<string, Samples>()

/**
 * A sample result of a task, with at most one item. A plugin without samples, or with one that its schema refuses, has
 * the generated example of its schema; undefined if there is none.
 */
export function sampleOf({
  key,
  module,
  declaration,
}: Pick<CatalogueTask, 'key' | 'module' | 'declaration'>): object | undefined {
  const sample = samplesBeside(module)[key]
  return sample && isValid(resultSchema(declaration), sample) ? sample : exampleResultOf(declaration)
}

/** The samples of a plugin, read once. @param module the file URL of its `source.ts` */
function samplesBeside(module: string): Samples {
  const known = read.get(module)
  if (known) return known
  const samples = samplesIn(new URL('./samples.json', module))
  read.set(module, samples)
  return samples
}

function samplesIn(file: URL): Samples {
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) ?? {}
  } catch {
    // Samples only illustrate: a plugin works without them.
    return {}
  }
}
