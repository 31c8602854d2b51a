/**
 * The price of a task in words.
 *
 * @module
 */
import type { CatalogueTask } from './catalogue.ts'

/** The price of a run, short enough for a button: `1 credit`, or `from 40 credits` if it depends on the input. */
export function priceText({ task, creditCost }: Pick<CatalogueTask, 'task' | 'creditCost'>): string {
  const credits = `${creditCost} ${creditCost === 1 ? 'credit' : 'credits'}`
  return typeof task.price === 'number' ? credits : `from ${credits}`
}

/** The price of a run with everything that it depends on. */
export const priceInWords = (task: Pick<CatalogueTask, 'task' | 'creditCost'>): string =>
  typeof task.task.price === 'number' ? priceText(task) : task.task.price.words
