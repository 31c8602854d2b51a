/**
 * The price of a task in words.
 *
 * @module
 */
import type { CatalogueTask } from './catalogue.ts'

/** The price of a run, short enough for a button: `1 credit`, or `from 40 credits` if it depends on the input. */
export function priceText({
  declaration: task,
  creditCost,
}: Pick<CatalogueTask, 'declaration' | 'creditCost'>): string {
  const credits = `${creditCost} ${creditCost === 1 ? 'credit' : 'credits'}`
  return typeof task.price === 'number' ? credits : `from ${credits}`
}

/** The price of a run with everything that it depends on. */
export const priceInWords = (task: Pick<CatalogueTask, 'declaration' | 'creditCost'>): string =>
  typeof task.declaration.price === 'number' ? priceText(task) : task.declaration.price.words
